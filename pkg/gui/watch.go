package gui

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// calm is how long a memory has to be quiet before a change is told, and
// restless how long telling it may be put off.
const (
	calm     = 150 * time.Millisecond
	restless = time.Second
	pulse    = 20 * time.Second
)

// A watcher tells when something was saved in a memory, by watching its
// journal and its trunk.
type watcher struct {
	events *fsnotify.Watcher // nil where the system has none

	mu        sync.Mutex
	dir       string
	listeners map[chan struct{}]bool
}

func watch(dir string) *watcher {
	w := &watcher{dir: dir, listeners: map[chan struct{}]bool{}}
	w.events, _ = fsnotify.NewWatcher()
	if w.events != nil {
		w.attach()
		go w.loop()
	}
	return w
}

func (w *watcher) close() {
	if w.events != nil {
		w.events.Close()
	}
}

// turn watches another memory.
func (w *watcher) turn(dir string) {
	w.mu.Lock()
	w.dir = dir
	w.mu.Unlock()
	if w.events != nil {
		for _, old := range w.events.WatchList() {
			w.events.Remove(old)
		}
		w.attach()
	}
	w.tell()
}

// attach watches what there is of the memory's folders; where they are still
// to be made, the folder that they will be in.
func (w *watcher) attach() {
	w.mu.Lock()
	dir := w.dir
	w.mu.Unlock()
	for _, d := range []string{filepath.Dir(dir), dir, filepath.Join(dir, "state"), filepath.Join(dir, "state", "journal")} {
		if info, err := os.Lstat(d); err == nil && info.IsDir() {
			w.events.Add(d)
		}
	}
}

// loop tells of changes once they pause.
func (w *watcher) loop() {
	quiet := time.NewTimer(time.Hour)
	quiet.Stop()
	var since time.Time
	for {
		select {
		case e, ok := <-w.events.Events:
			if !ok {
				return
			}
			if !w.concerns(e) {
				continue
			}
			if since.IsZero() {
				since = time.Now()
			}
			quiet.Reset(max(0, min(calm, restless-time.Since(since))))
		case <-quiet.C:
			since = time.Time{}
			w.attach()
			w.tell()
		case _, ok := <-w.events.Errors:
			if !ok {
				return
			}
		}
	}
}

// concerns tells whether an event is one of the journal, the trunk, or a
// folder on the way to them.
func (w *watcher) concerns(e fsnotify.Event) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	state := filepath.Join(w.dir, "state")
	switch e.Name {
	case w.dir, state, filepath.Join(state, "journal"):
		return e.Has(fsnotify.Create) || e.Has(fsnotify.Remove)
	case filepath.Join(w.dir, "root.json"):
		return true
	}
	return filepath.Dir(e.Name) == filepath.Join(state, "journal")
}

func (w *watcher) tell() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.listeners {
		select {
		case c <- struct{}{}:
		default: // it has not read of the last one yet
		}
	}
}

func (w *watcher) listen() (changes chan struct{}, stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	changes = make(chan struct{}, 1)
	w.listeners[changes] = true
	return changes, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.listeners, changes)
	}
}

// events sends an event each time that something was saved.
func (w *Window) events(rw http.ResponseWriter, r *http.Request) {
	out := http.NewResponseController(rw)
	rw.Header().Set("Content-Type", "text/event-stream")
	changes, stop := w.changes.listen()
	defer stop()
	fmt.Fprint(rw, "retry: 2000\n\n")
	for out.Flush() == nil {
		select {
		case <-r.Context().Done():
			return
		case <-changes:
			fmt.Fprint(rw, "event: saved\ndata: {}\n\n")
		case <-time.After(pulse):
			fmt.Fprint(rw, ": still here\n\n")
		}
	}
}
