package detect_test

import (
	"fmt"
	"strings"

	"github.com/ihmt/ihmt/pkg/detect"
	"github.com/ihmt/ihmt/pkg/record"
)

func ExampleClassify() {
	for _, text := range []string{
		"2026-02-03: I live in Valencia",
		"#!/usr/bin/env python3\nprint('hi')\n",
		"Ingredientes: 3 huevos y sal.\n1. Bate los huevos.\n2. Sirve caliente.\n",
	} {
		g := detect.Classify("", text)
		fmt.Println(g.DataType, g.Domain, g.Language)
	}
	// Output:
	// PERSONAL personal en
	// CODE software.python python
	// PROCESS process.cooking es
}

func ExampleDecode() {
	text, note, err := detect.Decode([]byte("ma\xf1ana"))
	fmt.Println(text, note, err)
	// Output: mañana transcoded:iso-8859-1 <nil>
}

func ExampleEach() {
	stdin := strings.NewReader("2026-02-03: I live in Valencia\n")
	err := detect.Each([]string{"-"}, stdin, detect.Options{Tags: []string{"home"}},
		func(r *record.Record) error {
			fmt.Println(r.Str("source"), r.Str("timestamp"), r.Get("tags"))
			return nil
		},
		func(s record.Skipped) error {
			fmt.Println("skipped", s.Source, s.Reason)
			return nil
		})
	fmt.Println(err)
	// Output:
	// text:c808b0686b 2026-02-03 ["home"]
	// <nil>
}

func ExampleDomain() {
	slug, err := detect.Domain("Cocina Rápida")
	fmt.Println(slug, err)
	// Output: cocina-rapida <nil>
}
