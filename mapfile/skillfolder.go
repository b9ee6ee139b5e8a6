package mapfile

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/internal/yaml"
)

const skillFile = "SKILL.md"

func skillsOf(p *[]spoor.Skill) setter {
	return func(v value) {
		*p = []spoor.Skill{}
		for _, s := range v.skills(false) {
			*p = append(*p, s.Skill)
		}
	}
}

func openSkillsOf(p *[]spoor.AgentSkill) setter {
	return func(v value) { *p = v.skills(true) }
}

// skills reads a list of skills, in which one element may stand for all those
// in a folder. With open they may have a when.
func (v value) skills(open bool) []spoor.AgentSkill {
	if v.Kind != yaml.List {
		v.want("a list of skills")
		return nil
	}
	list := []spoor.AgentSkill{}
	for _, n := range v.Items {
		item := v.at(v.ref.At(len(list)), n)
		dir, _ := item.get("dir")
		if parent, all := folderOfAll(dir.Node); all {
			for _, name := range item.folders(dir, parent) {
				item := v.at(v.ref.At(len(list)), n)
				var s spoor.AgentSkill
				dir.folder(name, item.ref, &s.Skill)
				list = append(list, s)
			}
		} else {
			var s spoor.AgentSkill
			item.skill(&s, open)
			list = append(list, s)
		}
		if len(list) > maxSkills {
			item.fault("bad-file", "split the map", "there are more than %d skills", maxSkills)
			break
		}
	}
	return list
}

// skill reads an element that stands for one skill.
func (v value) skill(s *spoor.AgentSkill, open bool) {
	keys := fields{
		"tools":        namesOf("tool", &s.Tools),
		"autoActivate": oneOf(&s.AutoActivate, spoor.CurrentSkill, spoor.Always),
		"delivery":     oneOf(&s.Delivery, spoor.DeliverPrompt, spoor.DeliverResult, spoor.DeliverBoth),
		"model":        name(&s.Model),
	}
	if open {
		keys["when"] = name(&s.When)
	}
	keys["dir"] = func(dir value) {
		var rel string
		if name(&rel)(dir); rel != "" {
			dir.folder(rel, v.ref, &s.Skill)
		}
	}
	if v.has("dir") {
		for _, key := range []string{"id", "description", "body", "bodyFile"} {
			keys[key] = func(v value) {
				v.fault("exclusive-keys", "drop it: "+skillFile+" says it", "%s does not stand beside dir", key)
			}
		}
		v.object("a skill", keys)
		return
	}
	keys["id"] = name(&s.ID)
	keys["description"] = text(&s.Description)
	keys["body"] = func(v value) {
		text(&s.Body)(v)
		if v.TextLine > 0 {
			s.Source = spoor.Source{File: v.file, Line: v.TextLine, Indent: v.Indent}
		}
	}
	keys["bodyFile"] = func(v value) {
		var rel string
		if name(&rel)(v); rel == "" {
			return
		}
		if rel, ok := v.inside(rel); ok {
			s.Body, s.Source = v.bodyFile(rel)
		}
	}
	v.object("a skill", keys, "id")
	v.exclusive("body", "bodyFile")
}

func (v value) bodyFile(rel string) (string, spoor.Source) {
	text, ok := v.readText(rel)
	if !ok {
		return "", spoor.Source{}
	}
	body, line := trimLines(text, 1)
	if body == "" {
		v.fault("bad-file", "write there what the model should read", "the file %s holds no text", quote(rel))
	}
	return body, spoor.Source{File: rel, Line: line}
}

// Folders.

// folderOfAll reports whether a dir stands for all skills in a folder, and in
// which.
func folderOfAll(dir *yaml.Node) (parent string, all bool) {
	if dir == nil || dir.Kind != yaml.String {
		return "", false
	}
	if dir.Text == "*" {
		return ".", true
	}
	return strings.CutSuffix(dir.Text, "/*")
}

// folders returns the folders in parent that hold a skill, by name.
func (v value) folders(dir value, parent string) (names []string) {
	v.pairs("a skill", func(key string, pair value) {
		if key != "dir" {
			pair.fault("exclusive-keys", "name one folder to give it more", "%s does not stand beside a dir that takes all folders", quote(key))
		}
	})
	if parent != "." {
		var ok bool
		if parent, ok = dir.inside(parent); !ok {
			return nil
		}
	}
	entries, err := fs.ReadDir(v.d.fsys, path.Join(v.d.dir, parent))
	if err != nil {
		dir.fault("bad-file", "", "the folder %s cannot be read: %s", quote(parent), reason(err))
		return nil
	}
	for _, e := range entries {
		name := path.Join(parent, e.Name())
		if _, err := fs.Stat(v.d.fsys, path.Join(v.d.dir, name, skillFile)); err == nil && len(names) <= maxSkills {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		dir.fault("bad-file", "put each skill into a folder of its own there", "no folder in %s holds a %s", quote(parent), skillFile)
	}
	return names
}

// folder reads the skill at ref in the Agent Skills format. The value is the
// dir that names the folder.
func (v value) folder(dir string, ref spoor.Ref, s *spoor.Skill) {
	dir, ok := v.inside(dir)
	if !ok || !v.holdsSkill(dir) {
		return
	}
	file := path.Join(dir, skillFile)
	text, ok := v.readText(file)
	if !ok {
		return
	}
	head, rest, line := splitFrontMatter(text)
	if line == 0 {
		v.d.add(Position{file, 1, 1}, "syntax", ref, "put name and description between two lines of --- at its top",
			"the front matter of this %s is missing or not closed", skillFile)
		return
	}
	if root, ok := v.d.parse([]byte(head), file, ref); ok {
		root.pos = Position{file, 1, 1}
		root.frontMatter(s, path.Base(dir))
	}
	body, line := trimLines(rest, line)
	s.Body, s.Source = body, spoor.Source{File: file, Line: line}
	pos := Position{file, line, 1}
	if body == "" {
		v.d.add(pos, "bad-skill", ref.Key("body"), "write what the model should read", "there is no text behind the front matter")
	}
	v.d.places[ref.Key("body")] = pos
}

// holdsSkill reports whether there is a SKILL.md in the folder, and what to do
// if not.
func (v value) holdsSkill(dir string) bool {
	full := path.Join(v.d.dir, dir)
	if _, err := fs.Stat(v.d.fsys, path.Join(full, skillFile)); !errors.Is(err, fs.ErrNotExist) {
		return true // or readText says what is wrong
	}
	entries, err := fs.ReadDir(v.d.fsys, full)
	if err != nil {
		v.fault("bad-file", "correct the path; it starts from the folder of the map file", "there is no folder %s", quote(dir))
		return false
	}
	hint := "write one, or name the folder that holds it"
	for _, e := range entries {
		if strings.EqualFold(e.Name(), skillFile) {
			hint = "rename " + e.Name() + " to " + skillFile
		}
	}
	v.fault("bad-file", hint, "the folder %s holds no %s", quote(dir), skillFile)
	return false
}

var skillName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// frontMatter reads the front matter of a SKILL.md in a folder.
func (v value) frontMatter(s *spoor.Skill, folder string) {
	if v.Kind == yaml.Null {
		v.fault("missing-key", "", "the front matter needs the keys name and description")
		return
	}
	bounded := func(p *string, most int) setter {
		return func(v value) {
			text(p)(v)
			if n := utf8.RuneCountInString(v.Text); v.Kind == yaml.String && (n == 0 || n > most) {
				v.fault("bad-skill", "", "this text has %d characters, and 1 to %d are allowed", n, most)
			}
		}
	}
	var unused string
	v.object("the front matter", fields{
		"name": func(v value) {
			v.d.places[v.ref[:len(v.ref)-len("name")]+"id"] = v.pos
			text(&s.ID)(v)
			switch {
			case v.Kind != yaml.String:
			case len(s.ID) > 64 || !skillName.MatchString(s.ID):
				v.fault("bad-skill", "", "the name %s is not 1 to 64 lowercase letters, digits and single hyphens between them", quote(s.ID))
			case s.ID != folder:
				v.fault("bad-skill", "rename one of them", "the name is %s, and the folder is %s", quote(s.ID), quote(folder))
			}
		},
		"description":   bounded(&s.Description, 1024),
		"license":       text(&unused),
		"compatibility": bounded(&unused, 500),
		"metadata": func(v value) {
			v.pairs("a mapping of names to texts", func(key string, v value) { text(&unused)(v) })
		},
		"allowed-tools": phrases(new([]string)),
	}, "name", "description")
}

// splitFrontMatter cuts a SKILL.md. Each line of head has the number that it
// has in the file; line is that of the first line of rest, or 0 if there is no
// front matter.
func splitFrontMatter(text string) (head, rest string, line int) {
	isFence := func(line string) bool { return strings.TrimRight(line, " \t") == "---" }
	first, after, ok := strings.Cut(text, "\n")
	if !ok || !isFence(first) {
		return "", "", 0
	}
	var b strings.Builder
	for line = 2; ; line++ {
		row, next, more := strings.Cut(after, "\n")
		b.WriteByte('\n')
		if isFence(row) {
			return b.String(), next, line + 1
		}
		if !more {
			return "", "", 0
		}
		b.WriteString(row)
		after = next
	}
}

// trimLines drops the blank lines at both ends of text, whose first line has
// the number line, and returns that of the first line it keeps.
func trimLines(text string, line int) (string, int) {
	rows := strings.Split(text, "\n")
	blank := func(row string) bool { return strings.TrimSpace(row) == "" }
	first := slices.IndexFunc(rows, func(row string) bool { return !blank(row) })
	if first < 0 {
		return "", line
	}
	last := len(rows)
	for blank(rows[last-1]) {
		last--
	}
	return strings.Join(rows[first:last], "\n"), line + first
}

// Files.

// inside cleans the path of a file that a map names, and refuses one that leads
// out of the folder of the map file.
func (v value) inside(rel string) (string, bool) {
	clean := path.Clean(rel)
	if !fs.ValidPath(clean) || slices.Contains(strings.Split(rel, "/"), "..") || strings.ContainsRune(rel, '*') {
		v.fault("bad-file", "write a path with slashes below the folder of the map file",
			"%s does not name a place below the map file", quote(rel))
		return "", false
	}
	return clean, true
}

// readText reads a file of text, without its byte order mark, with lines that
// end in \n.
func (v value) readText(rel string) (string, bool) {
	b, err := readFile(v.d.fsys, path.Join(v.d.dir, rel), maxBodyBytes)
	if err != nil {
		v.fault("bad-file", "", "the file %s cannot be read: %s", quote(rel), reason(err))
		return "", false
	}
	if v.d.bytes += len(b); v.d.bytes > maxTotalBytes {
		v.fault("bad-file", "split the map", "the files of this map have more than %d MiB together", maxTotalBytes>>20)
		return "", false
	}
	text := strings.ReplaceAll(strings.TrimPrefix(string(b), "\ufeff"), "\r\n", "\n")
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") {
			start := strings.LastIndexByte(text[:i], '\n') + 1
			pos := Position{rel, strings.Count(text[:i], "\n") + 1, utf8.RuneCountInString(text[start:i]) + 1}
			v.d.add(pos, "syntax", v.ref, "save the file as UTF-8", "byte 0x%02x is not UTF-8", text[i])
			return "", false
		}
	}
	return text, true
}

// reason is an error of a file system without the path, which the sentence
// around it names.
func reason(err error) string {
	var p *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it does not exist"
	case errors.As(err, &p):
		return p.Err.Error()
	}
	return fmt.Sprint(err)
}
