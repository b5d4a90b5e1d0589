package gui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// Options say what to serve, and how.
type Options struct {
	Home    string // the folder that holds ihmt_memory
	Project string // the folder of the project that agents may be connected for; "" for none
	Port    int    // 0 for any that is free
	Browse  bool   // open the browser
	Out     io.Writer
}

// Serve serves the window on loopback until the context ends.
func Serve(ctx context.Context, o Options) error {
	listener, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(o.Port)))
	if err != nil {
		return fmt.Errorf("cannot listen: %w; give another --port, or none", err)
	}
	w := New(o.Home, o.Project, listener.Addr().(*net.TCPAddr).Port)
	defer w.Close()
	server := &http.Server{Handler: w, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	fmt.Fprintf(o.Out, "%s\nCtrl-C ends it.\n", w.Address())
	if o.Browse {
		forget, err := browse(w.Address())
		defer forget()
		if err != nil {
			fmt.Fprintf(o.Out, "No browser could be opened (%v): open the address above.\n", err)
		}
	}
	go func() {
		<-ctx.Done()
		server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
