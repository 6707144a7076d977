package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/ports"
)

// Chats posts {"text": …} to a chat's incoming webhook, the format of Slack, Mattermost and others.
type Chats struct{ Client *http.Client }

var _ ports.Chats = Chats{}

// plain escapes texts of merchants and buyers, so that the chat does not interpret mentions and links in them.
var plain = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func (c Chats) Say(ctx ports.Outbound, webhook, text string) event.Result {
	body, err := json.Marshal(map[string]string{"text": plain.Replace(text)})
	if err != nil {
		return event.Result{Error: "the text cannot be written"}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, webhook, bytes.NewReader(body))
	if err != nil {
		return event.Result{Error: "the URL cannot be read"}
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := c.Client.Do(request)
	if errors.Is(err, context.DeadlineExceeded) {
		return event.Result{Error: "no answer in time"}
	}
	if err != nil {
		return event.Result{Error: "the connection failed"}
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, 4<<10) // so that the connection can be used again
	r := event.Result{Code: answer.StatusCode}
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		r.Error = "the chat answered " + strconv.Itoa(answer.StatusCode)
	}
	return r
}
