//go:build !linux

package cli

// UseHugePages is for Linux; elsewhere it does nothing.
func UseHugePages() {}

// ReserveHugePages is for Linux; elsewhere it does nothing.
func ReserveHugePages(uintptr) {}
