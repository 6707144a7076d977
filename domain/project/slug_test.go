package project_test

import (
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/project"
)

// A project that has a reserved slug keeps it. No other project gets one, except the demo project.
func TestReservedSlugs(t *testing.T) {
	t.Parallel()
	draft := func(slug string, demo bool) error {
		_, err := project.Open(id.Project{}, id.Account{}, project.Draft{
			Name: "Shop",
			Slug: slug,
			Demo: demo,
		}, noon)
		return err
	}
	for _, slug := range []string{
		"www", "api", "admin", "console", "docs", "mcp", "ucp", "app", "static", "assets", "hooks", "health", "metrics", "demo",
	} {
		if err := draft(slug, false); !slices.Equal(fields(err), []string{"slug"}) {
			t.Errorf("opening %s: %v", slug, err)
		}
		if err := draft(slug, true); (err == nil) != (slug == "demo") {
			t.Errorf("opening the demo project as %s: %v", slug, err)
		}
		p := open(t, settings{})
		if err := p.Change(project.Change{Slug: patch.To(slug)}, later); !slices.Equal(fields(err), []string{"slug"}) {
			t.Errorf("renaming to %s: %v", slug, err)
		}
		if err := p.Change(project.Change{Slug: patch.To(slug), Grouped: true}, later); !slices.Equal(fields(err), []string{"general.slug"}) {
			t.Errorf("renaming to %s by the settings: %v", slug, err)
		}
		p.Slug = slug
		if err := p.Change(project.Change{Name: patch.To("Other"), Slug: patch.To(slug)}, later); err != nil {
			t.Errorf("changing one that is %s: %v", slug, err)
		}
	}
	if err := draft("admin-tools", false); err != nil {
		t.Error(err)
	}
}
