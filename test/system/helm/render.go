// Renders a chart as Helm does: Go templates with the functions of sprig, include and toYaml, and values over those of
// the chart. Reads {"chart": folder, "release": name, "values": {}} from standard input. Prints documents.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

type object = map[string]interface{}

type input struct {
	Chart, Release string
	Values         object
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func readYaml(file string) object {
	text, err := os.ReadFile(file)
	check(err)
	result := object{}
	check(yaml.Unmarshal(text, &result))
	return result
}

// Objects merge, other values replace those of the chart, and null removes them.
func merge(chart, given object) object {
	for name, value := range given {
		below, isObject := value.(object)
		own, wasObject := chart[name].(object)
		if value == nil {
			delete(chart, name)
		} else if isObject && wasObject {
			chart[name] = merge(own, below)
		} else {
			chart[name] = value
		}
	}
	return chart
}

func functions(root *template.Template) template.FuncMap {
	result := sprig.TxtFuncMap()
	delete(result, "env")
	delete(result, "expandenv")
	result["include"] = func(name string, data interface{}) (string, error) {
		var text strings.Builder
		err := root.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	result["toYaml"] = func(value interface{}) string {
		text, err := yaml.Marshal(value)
		check(err)
		return strings.TrimSuffix(string(text), "\n")
	}
	return result
}

// The names in Chart.yaml begin with a small letter, those in templates with a capital.
func capitalize(chart object) object {
	result := object{}
	for name, value := range chart {
		result[strings.ToUpper(name[:1])+name[1:]] = value
	}
	return result
}

func main() {
	var given input
	check(json.NewDecoder(os.Stdin).Decode(&given))
	root := template.New("chart").Option("missingkey=zero")
	root.Funcs(functions(root))
	files, err := filepath.Glob(filepath.Join(given.Chart, "templates", "*"))
	check(err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		check(err)
		template.Must(root.New(filepath.Base(file)).Parse(string(text)))
	}
	data := object{
		"Chart":   capitalize(readYaml(filepath.Join(given.Chart, "Chart.yaml"))),
		"Release": object{"Name": given.Release, "Namespace": "redirects", "Service": "Helm"},
		"Values":  merge(readYaml(filepath.Join(given.Chart, "values.yaml")), given.Values),
	}
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasPrefix(name, "_") {
			continue
		}
		fmt.Printf("---\n# Source: %s\n", name)
		check(root.ExecuteTemplate(os.Stdout, name, data))
	}
}
