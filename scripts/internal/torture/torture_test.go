package main

import (
	"runtime"
	"testing"
)

// What scripts/torture does at length is done here in short.

func TestPowerCuts(t *testing.T) {
	if err := powerCuts(50, 1, func(s string) { t.Log(s) }); err != nil {
		t.Fatal(err)
	}
}

func TestDiskErrors(t *testing.T) {
	if err := diskErrors(150, 1, func(s string) { t.Log(s) }); err != nil {
		t.Fatal(err)
	}
}

func TestKills(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("has no such signal")
	}
	bin := tools(t)
	if _, err := killRounds(bin, 3, 1, func(s string) { t.Log(s) }); err != nil {
		t.Error(err)
	}
	if err := many(bin, 4, 40, func(s string) { t.Log(s) }); err != nil {
		t.Error(err)
	}
}
