//go:build !unix

package store

func setUmask(mask int) int { return mask }
