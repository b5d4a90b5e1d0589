package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"

	"github.com/ihmt/ihmt/pkg/cli"
)

// writeBill writes the software bill of materials of the tools in a folder,
// as CycloneDX 1.6: every module that is linked into any of them. It holds
// neither a date nor a serial number, so that it is the same every time.
func writeBill(name, bin string) error {
	modules, goVersion, err := linked(bin)
	if err != nil {
		return err
	}
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{Component: &cyclonedx.Component{
		BOMRef: "ihmt", Type: cyclonedx.ComponentTypeApplication, Name: "ihmt", Version: cli.Version,
		Licenses: &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "MIT"}}}}}
	components := []cyclonedx.Component{{BOMRef: "std", Type: cyclonedx.ComponentTypeLibrary, Name: "std", Version: goVersion,
		PackageURL: "pkg:golang/std@" + strings.TrimPrefix(goVersion, "go")}}
	for _, path := range slices.Sorted(maps.Keys(modules)) {
		m := modules[path]
		url := fmt.Sprintf("pkg:golang/%s@%s", m.Path, m.Version)
		components = append(components, cyclonedx.Component{BOMRef: url, Type: cyclonedx.ComponentTypeLibrary,
			Name: m.Path, Version: m.Version, PackageURL: url, Hashes: hashes(m.Sum)})
	}
	bom.Components = &components
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	e := cyclonedx.NewBOMEncoder(f, cyclonedx.BOMFileFormatJSON)
	if err := e.SetPretty(true).EncodeVersion(bom, cyclonedx.SpecVersion1_6); err != nil {
		return err
	}
	return f.Close()
}

// linked returns the modules in the tools of a folder, by path, and the
// version of Go that built them.
func linked(bin string) (modules map[string]*debug.Module, goVersion string, err error) {
	tools, err := filepath.Glob(filepath.Join(bin, "*"))
	if err != nil {
		return nil, "", err
	}
	modules = map[string]*debug.Module{}
	for _, tool := range tools {
		info, err := buildinfo.ReadFile(tool)
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", tool, err)
		}
		goVersion = info.GoVersion
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			modules[m.Path] = m
		}
	}
	return modules, goVersion, nil
}

// hashes returns the checksum of a module as go.sum has it: SHA-256, of the
// list of its files' checksums.
func hashes(sum string) *[]cyclonedx.Hash {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(sum, "h1:"))
	if err != nil || sum == "" {
		return nil
	}
	return &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(raw)}}
}
