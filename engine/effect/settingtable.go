package effect

import (
	"slices"
	"strings"
)

// What effects.<op> may hold. Times are in milliseconds, sizes in bytes, money in US dollars. 0 for a clock means that it
// does not run. None of these members gets into a request, so none changes a hash, but for the ones that a request takes
// as defaults: model, temperature, top_p, max_tokens, seed, stop and response_format of llm, limit of search, signed_by
// and regret_kind of judge.

const dayMS = 24 * 60 * 60 * 1000

func ms(name, def, about string) Setting {
	return Setting{name, "milliseconds", def, about, number(0, dayMS, true)}
}

// overHTTP are the members of every provider that speaks HTTP.
func overHTTP(retries string) []Setting {
	return []Setting{
		{"base_url", "address", "", "where requests go", isURL},
		{"headers", "object", "", `headers of every request: texts, or {"$secret": "NAME"}; they are never recorded`, isTexts},
		ms("timeout_ms", "600000", "clock total: the whole operation, retries and waits included"),
		ms("connect_timeout_ms", "10000", "clock connect: until a connection stands, encryption included"),
		ms("first_byte_timeout_ms", "120000", "clock first_byte: from the connection to the first byte of the answer"),
		ms("idle_timeout_ms", "60000", "clock idle: from one frame of the answer to the next"),
		{"retries", "integer", retries, "attempts after the first, after 408, 409, 429, 5xx or a broken connection; an unsafe op is tried again only when nothing was sent", number(0, 20, true)},
		ms("backoff_ms", "500", "the first wait is random between 0 and this, each later one may be twice as long; Retry-After is a floor"),
		{"requests_per_minute", "number", "", "spaces requests out, attempts included; absent: no limit", number(0.001, 1e6, false)},
		{"max_answer_bytes", "integer", "1048576", "a larger answer is an error", number(1, 64<<20, true)},
	}
}

var bearer = Setting{"bearer_token", "secret", "", `sent as "Authorization: Bearer …"`, isSecret}

var declared = []Setting{
	{"class", "pure, idempotent, unsafe", "unsafe", "what asking twice would do; pure and idempotent ops are retried", oneOf("pure", "idempotent", "unsafe")},
	{"cost_usd", "number", "0", "what one request costs, as declared by whoever runs the platform", number(0, 1e6, false)},
	{"secrets", "list", "", `names of secrets that requests may use as {"$secret": "NAME"}`, isStrings},
}

var settingsOf = map[string][]Setting{
	"llm": sorted(overHTTP("2"), []Setting{
		{"api_key", "secret", "", `sent as "Authorization: Bearer …"; absent: no such header`, isSecret},
		{"prices", "object or file", "", `{model: {"input_per_mtok", "output_per_mtok", "cached_input_per_mtok"?}} or the path of a file with that; the cost of a model without a price is unknown`, isPrices},
		{"stream", "boolean", "true", "asks for the answer frame by frame, usage included", isBool},
		{"class", "pure, idempotent, unsafe", "idempotent", "what asking twice would do; unsafe is never retried once sent", oneOf("pure", "idempotent", "unsafe")},
		{"model", "string", "mock-fast", "the model of requests that name none", isText},
		{"temperature", "number", "", "of requests that name none", number(0, 10, false)},
		{"top_p", "number", "", "of requests that name none", number(0, 1, false)},
		{"max_tokens", "integer", "", "of requests that name none", number(1, 1<<31, true)},
		{"seed", "integer", "", "of requests that name none", number(-1<<53, 1<<53, true)},
		{"stop", "string or list", "", "of requests that name none", isValue},
		{"response_format", "object", "", "of requests that name none", isValue},
	}),
	"search": sorted(overHTTP("2"), declared[1:2], []Setting{bearer,
		{"class", "pure, idempotent, unsafe", "pure", "what asking twice would do", oneOf("pure", "idempotent", "unsafe")},
		{"limit", "integer", "3", "how many hits requests ask for that do not say", number(0, 1000, true)},
		{"method", "GET, POST", "GET", "GET puts the parameters into the address, POST into a JSON body", oneOf("GET", "POST")},
		{"query_param", "string", "q", "the parameter that holds the query", isText},
		{"limit_param", "string", "limit", `the parameter that holds the limit; "": none`, isText},
		{"params", "object", "", "further parameters: texts and secrets", isTexts},
		{"hits", "JSON Pointer", "/hits", "where the answer holds the list of hits", isPointer},
		{"title", "JSON Pointer", "/title", "inside a hit", isPointer},
		{"url", "JSON Pointer", "/url", "inside a hit", isPointer},
		{"snippet", "JSON Pointer", "/snippet", "inside a hit", isPointer},
	}),
	"http": sorted(overHTTP("2"), declared, []Setting{bearer,
		{"hosts", "list", "", `hosts that requests may go to, with a port when it is not the usual one; "*" for any`, isStrings},
	}),
	"exec": sorted(declared, []Setting{
		{"programs", "list", "", "names or paths of programs that may be started, exactly as argv[0] has them", isStrings},
		{"env", "object", "", "environment of the program: texts and secrets", isTexts},
		{"pass_env", "list", `["PATH"]`, "variables that the program inherits", isStrings},
		ms("timeout_ms", "600000", "clock total: the whole operation"),
		ms("idle_timeout_ms", "0", "clock idle: from one piece of output to the next"),
		{"max_output_bytes", "integer", "262144", "more on standard output is an error; of standard error the end is kept", number(1, 64<<20, true)},
		{"max_file_bytes", "integer", "67108864", "a larger output file is an error", number(1, 1<<34, true)},
		{"max_text_bytes", "integer", "65536", "output files up to this size stand in the answer as text", number(0, 1<<20, true)},
		{"keep", "folder", "", "where output files are kept under their sha256, relative to the flow; absent: nowhere", isText},
		{"requests_per_minute", "number", "", "spaces starts out; absent: no limit", number(0.001, 1e6, false)},
	}),
	"judge": {
		{"regret_kind", "string", "scalar", "of requests that name none", oneOf("scalar", "chebyshev", "pareto")},
		{"signed_by", "Name/vX.Y.Z", "Judge/v1.0.0", "of requests that name none", isText},
	},
}

func sorted(lists ...[]Setting) []Setting {
	all := slices.Concat(lists...)
	slices.SortFunc(all, func(a, b Setting) int { return strings.Compare(a.Name, b.Name) })
	return all
}
