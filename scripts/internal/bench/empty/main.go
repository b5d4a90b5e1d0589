// Command empty does nothing: what a Go program takes to start at least.
package main

func main() {}
