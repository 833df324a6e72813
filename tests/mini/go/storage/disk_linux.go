//go:build linux

package storage

func open(path string) int { return flags() }

func flags() int { return 1 }
