package main

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// repository is a tree of modules, type checked.
type repository struct {
	root     string
	files    *token.FileSet
	modules  map[string]string // path -> folder
	folders  map[string]*folder
	packages []*checked
	standard types.ImporterFrom
	unknown  map[string]*types.Package
	// Files that say that they are generated.
	generated map[string]bool
}

// folder holds the files of one package and of its tests.
type folder struct {
	own, tests, outer []*ast.File
	imported          *types.Package
	checking          bool
}

// checked is a package as its tests see it, or the package of tests beside it.
type checked struct {
	types *types.Package
	info  *types.Info
	files []*ast.File
}

func load(dir string) (*repository, error) {
	root, err := filepath.Abs(dir)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return nil, err
	}
	files := token.NewFileSet()
	build.Default.CgoEnabled = false
	r := &repository{
		root: root, files: files, modules: map[string]string{}, folders: map[string]*folder{},
		standard: importer.ForCompiler(files, "source", nil).(types.ImporterFrom),
		unknown:  map[string]*types.Package{}, generated: map[string]bool{},
	}
	if err := filepath.WalkDir(root, r.read); err != nil {
		return nil, err
	}
	var dirs []string
	for dir := range r.folders {
		dirs = append(dirs, dir)
	}
	sort.Strings(dirs)
	for _, dir := range dirs {
		f := r.folders[dir]
		both := append(append([]*ast.File{}, f.own...), f.tests...)
		for _, files := range [][]*ast.File{both, f.outer} {
			if len(files) == 0 {
				continue
			}
			info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
			r.packages = append(r.packages, &checked{r.check(r.pathOf(dir), files, info), info, files})
		}
	}
	return r, nil
}

func (r *repository) read(path string, entry fs.DirEntry, err error) error {
	name := entry.Name()
	if err != nil {
		return err
	}
	if entry.IsDir() {
		others := name == "vendor" || name == "testdata" || name == "node_modules"
		if path != r.root && (others || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
			return filepath.SkipDir
		}
		return nil
	}
	dir := filepath.Dir(path)
	if name == "go.mod" {
		text, err := os.ReadFile(path)
		r.modules[modulePath(text)] = dir
		return err
	}
	if fits, _ := build.Default.MatchFile(dir, name); !fits || !strings.HasSuffix(name, ".go") {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head := text[:min(len(text), 2000)]
	r.generated[path] = bytes.Contains(head, []byte("Code generated")) || bytes.Contains(head, []byte("DO NOT EDIT"))
	parsed, _ := parser.ParseFile(r.files, path, text, 0)
	if parsed == nil {
		return nil
	}
	f := r.folders[dir]
	if f == nil {
		f = &folder{}
		r.folders[dir] = f
	}
	switch {
	case isTest(name) && strings.HasSuffix(parsed.Name.Name, "_test"):
		f.outer = append(f.outer, parsed)
	case isTest(name):
		f.tests = append(f.tests, parsed)
	case len(f.own) == 0 || f.own[0].Name.Name == parsed.Name.Name:
		f.own = append(f.own, parsed)
	}
	return nil
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}

func modulePath(text []byte) string {
	for _, line := range strings.Split(string(text), "\n") {
		if rest := strings.TrimPrefix(strings.TrimSpace(line), "module "); rest != strings.TrimSpace(line) {
			return strings.Trim(strings.TrimSpace(strings.Split(rest, "//")[0]), `"`)
		}
	}
	return ""
}

// pathOf is the import path of a folder.
func (r *repository) pathOf(dir string) string {
	longest, path := "", dir
	for module, root := range r.modules {
		if (dir == root || strings.HasPrefix(dir, root+"/")) && len(root) > len(longest) {
			longest, path = root, module+dir[len(root):]
		}
	}
	return path
}

// folderOf is the folder of an import path; nil for packages that are not the repository's.
func (r *repository) folderOf(path string) *folder {
	for prefix := path; ; {
		if root, found := r.modules[prefix]; found {
			if f := r.folders[filepath.Join(root, path[len(prefix):])]; f != nil {
				return f
			}
		}
		slash := strings.LastIndexByte(prefix, '/')
		if slash < 0 {
			return nil
		}
		prefix = prefix[:slash]
	}
}

func (r *repository) check(path string, files []*ast.File, info *types.Info) *types.Package {
	config := types.Config{Importer: r, FakeImportC: true, Error: func(error) {}}
	p, _ := config.Check(path, r.files, files, info)
	return p
}

// Import makes a repository an importer.
func (r *repository) Import(path string) (*types.Package, error) {
	return r.ImportFrom(path, r.root, 0)
}

// ImportFrom gives a package without names for what is not at hand.
func (r *repository) ImportFrom(path, dir string, mode types.ImportMode) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if f := r.folderOf(path); f != nil && len(f.own) > 0 && !f.checking {
		if f.imported == nil {
			f.checking = true
			f.imported = r.check(path, f.own, nil)
			f.checking = false
		}
		return f.imported, nil
	}
	if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") {
		if p, err := r.standard.ImportFrom(path, dir, mode); err == nil {
			return p, nil
		}
	}
	if r.unknown[path] == nil {
		r.unknown[path] = types.NewPackage(path, conventional(path))
		r.unknown[path].MarkComplete()
	}
	return r.unknown[path], nil
}

// conventional is what a package is called when only its path is known.
func conventional(path string) string {
	parts := strings.Split(path, "/")
	name := parts[len(parts)-1]
	if len(parts) > 1 && len(name) > 1 && name[0] == 'v' && name[1] >= '0' && name[1] <= '9' {
		name = parts[len(parts)-2]
	}
	return strings.TrimPrefix(strings.Split(name, ".")[0], "go-")
}

// place is where something stands; an empty path for what the truth does not speak of.
func (r *repository) place(at token.Pos) (path string, line, column int) {
	p := r.files.PositionFor(at, false)
	path, err := filepath.Rel(r.root, p.Filename)
	if err != nil || strings.HasPrefix(path, "..") || r.generated[p.Filename] {
		return "", 0, 0
	}
	return path, p.Line, p.Column
}

// names are the files that the truth speaks of.
func (r *repository) names() []string {
	var names []string
	for _, checked := range r.packages {
		for _, file := range checked.files {
			if path, _, _ := r.place(file.Pos()); path != "" {
				names = append(names, path)
			}
		}
	}
	sort.Strings(names)
	return names
}
