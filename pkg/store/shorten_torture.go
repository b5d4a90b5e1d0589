//go:build torture

package store

func init() { ShortenFrom = 4 << 10 }
