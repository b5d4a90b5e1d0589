package cli

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// UseHugePages moves the heap to memory that comes in huge pages, where the
// system gives them on request ("madvise", the usual setting). A tool that
// ends within milliseconds otherwise spends a third of them on being given
// memory page by page. Call it first, and after debug.SetGCPercent: what it
// skips of the heap counts as used.
func UseHugePages() {
	const chunk, block = 4 << 20, 128 << 10 // what the heap grows by; what has pages of its own
	address := func(size uintptr) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(make([]byte, size)))) }
	rest := chunk - address(block)%chunk
	_ = address(rest) // never touched, so it costs nothing, and what follows lies in the next chunk
	unix.Syscall(unix.SYS_MADVISE, address(block)&^(chunk-1), chunk, unix.MADV_HUGEPAGE)
}

// ReserveHugePages gives the heap so many bytes that come in huge pages, for
// work that is about to need them. It costs a collection of the heap as it is.
func ReserveHugePages(size uintptr) {
	reserve(size)
	runtime.GC() // what was reserved is free now, and still in huge pages
}

func reserve(size uintptr) {
	const page = 2 << 20
	b := make([]byte, size)
	from := (uintptr(unsafe.Pointer(unsafe.SliceData(b))) + page - 1) &^ (page - 1)
	unix.Syscall(unix.SYS_MADVISE, from, size-page, unix.MADV_HUGEPAGE)
	runtime.KeepAlive(b)
}
