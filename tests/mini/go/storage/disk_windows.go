//go:build windows

package storage

func open(path string) int { return 0 }
