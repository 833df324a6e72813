// Command gotruth says what go/types says of a Go repository: every function, method, type and package variable, with every
// reference to it. accuracy.sh compares floorplan's answers with that.
//
//	gotruth DIR NAME > NAME.jsonl
//
// The repository's own modules and the standard library are type checked; packages of other modules are not at hand and have
// no names, so what depends on them stays unresolved and is listed as such. Generated files are left out, as floorplan leaves
// them out. Files for other systems than this one are not seen.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"log"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// definition is one row of the truth; see the README beside the truth for its fields.
type definition struct {
	T         string   `json:"t"`
	ID        int      `json:"id"`
	File      string   `json:"file"`
	Line      int      `json:"line"`
	Start     int      `json:"start"`
	End       int      `json:"end"`
	Name      string   `json:"name"`
	Qual      string   `json:"qual"`
	Kind      string   `json:"kind"`
	Parent    *int     `json:"parent"`
	Nested    bool     `json:"nested"`
	Test      bool     `json:"test"`
	Exported  bool     `json:"exported"`
	Flags     []string `json:"flags"`
	Decos     []string `json:"decos"`
	Overrides []int    `json:"overrides"`
	Dead      *string  `json:"dead"`
	Why       []string `json:"why"`
	Refs      [][]any  `json:"refs"`

	at token.Pos
	// Where the type stands whose member it is.
	parent token.Pos
	// It implements a method of an interface that is not the repository's.
	outside bool
	seen    map[token.Pos]bool
}

// unresolved is a selector whose operand has no known type.
type unresolved struct {
	T    string `json:"t"`
	File string `json:"file"`
	Line int    `json:"line"`
	Name string `json:"name"`
	Enc  string `json:"enc"`
	Kind string `json:"kind"`
	Why  string `json:"why"`
}

// truth is all that is known of a repository.
type truth struct {
	repo        *repository
	definitions map[token.Pos]*definition
	missed      map[token.Pos]unresolved
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: gotruth DIR NAME > NAME.jsonl")
	}
	repo, err := load(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	t := &truth{repo, map[token.Pos]*definition{}, map[token.Pos]unresolved{}}
	for _, checked := range repo.packages {
		for _, file := range checked.files {
			t.define(file)
		}
	}
	for _, checked := range repo.packages {
		for _, file := range checked.files {
			t.refer(checked.info, file)
		}
	}
	t.print(os.Args[2])
}

func (t *truth) print(name string) {
	var rows []*definition
	for _, d := range t.definitions {
		rows = append(rows, d)
	}
	sort.Slice(rows, func(i, j int) bool { return rows[i].at < rows[j].at })
	for i, d := range rows {
		d.ID = i
	}
	t.overrides()
	for _, d := range rows {
		if parent := t.definitions[d.parent]; parent != nil {
			id := parent.ID
			d.Parent = &id
		}
	}
	for _, d := range rows {
		d.Dead = t.verdict(d, rows)
	}
	out := json.NewEncoder(os.Stdout)
	files := t.repo.names()
	meta := map[string]any{"t": "meta", "repo": name, "lang": "go", "tool": "go/types", "files": files}
	meta["ndefs"], meta["nunres"] = len(rows), len(t.missed)
	out.Encode(meta)
	for _, d := range rows {
		out.Encode(d)
	}
	var missed []token.Pos
	for at := range t.missed {
		missed = append(missed, at)
	}
	sort.Slice(missed, func(i, j int) bool { return missed[i] < missed[j] })
	for _, at := range missed {
		out.Encode(t.missed[at])
	}
	fmt.Fprintf(os.Stderr, "%s: %d files, %d definitions, %d unresolved\n", name, len(files), len(rows), len(missed))
}

// verdict says whether an exported function, method, struct or interface is used; nil for what nobody asks about.
func (t *truth) verdict(d *definition, rows []*definition) *string {
	asked := map[string]bool{"function": true, "method": true, "class": true, "interface": true}
	if !d.Exported || d.Nested || d.Test || !asked[d.Kind] {
		return nil
	}
	of := []*definition{d}
	if d.Kind == "class" || d.Kind == "interface" {
		for _, member := range rows {
			if member.Parent != nil && *member.Parent == d.ID {
				of = append(of, member)
			}
		}
	}
	verdict := "dead"
	for _, used := range of {
		for _, ref := range used.Refs {
			kind, marks := ref[5].(string), ref[6].(string)
			switch {
			case kind == "recv" || strings.Contains(marks, "s"):
			case strings.Contains(marks, "t"):
				if verdict == "dead" {
					verdict = "test_only"
				}
			default:
				verdict = "live"
			}
		}
	}
	if verdict != "live" && (d.outside || len(d.Overrides) > 0) {
		verdict = "undecidable"
		d.Why = append(d.Why, "implements an interface")
	}
	return &verdict
}

// overrides fills in which methods of interfaces each method implements.
func (t *truth) overrides() {
	var interfaces, concrete []*types.Named
	seen := map[*types.Package]bool{}
	var visit func(p *types.Package)
	visit = func(p *types.Package) {
		if p == nil || seen[p] {
			return
		}
		seen[p] = true
		for _, name := range p.Scope().Names() {
			named, ok := p.Scope().Lookup(name).Type().(*types.Named)
			if _, isType := p.Scope().Lookup(name).(*types.TypeName); !ok || !isType || named.TypeParams().Len() > 0 {
				continue
			}
			if i, ok := named.Underlying().(*types.Interface); ok && i.NumMethods() > 0 {
				interfaces = append(interfaces, named)
			} else if !ok && t.definitions[named.Obj().Pos()] != nil {
				concrete = append(concrete, named)
			}
		}
		for _, imported := range p.Imports() {
			visit(imported)
		}
	}
	for _, checked := range t.repo.packages {
		visit(checked.types)
	}
	interfaces = append(interfaces, types.Universe.Lookup("error").Type().(*types.Named))
	for _, c := range concrete {
		methods := types.NewMethodSet(types.NewPointer(c))
		for _, named := range interfaces {
			i := named.Underlying().(*types.Interface)
			if i.NumMethods() > methods.Len() || !types.Implements(types.NewPointer(c), i) {
				continue
			}
			for n := 0; n < i.NumMethods(); n++ {
				asked := i.Method(n)
				if found := methods.Lookup(asked.Pkg(), asked.Name()); found != nil {
					t.override(found.Obj(), asked)
				}
			}
		}
	}
}

func (t *truth) override(method types.Object, asked types.Object) {
	d, base := t.definitions[origin(method).Pos()], t.definitions[asked.Pos()]
	switch {
	case d == nil || d == base:
	case base == nil:
		d.outside = true
	default:
		for _, known := range d.Overrides {
			if known == base.ID {
				return
			}
		}
		d.Overrides = append(d.Overrides, base.ID)
	}
}

// origin is the generic declaration of what may be an instance.
func origin(o types.Object) types.Object {
	switch o := o.(type) {
	case *types.Func:
		return o.Origin()
	case *types.Var:
		return o.Origin()
	}
	return o
}

// receiver is the name of the type that a method belongs to; nil for functions.
func receiver(f *ast.FuncDecl) *ast.Ident {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return nil
	}
	ty := f.Recv.List[0].Type
	for {
		switch x := ty.(type) {
		case *ast.StarExpr:
			ty = x.X
		case *ast.ParenExpr:
			ty = x.X
		case *ast.IndexExpr:
			ty = x.X
		case *ast.IndexListExpr:
			ty = x.X
		case *ast.Ident:
			return x
		default:
			return nil
		}
	}
}

func qualified(f *ast.FuncDecl) string {
	if r := receiver(f); r != nil {
		return r.Name + "." + f.Name.Name
	}
	return f.Name.Name
}

func isTest(path string) bool { return strings.HasSuffix(filepath.Base(path), "_test.go") }
