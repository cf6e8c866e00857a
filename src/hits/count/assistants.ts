/**
 * The list of user agents that are counted by name. Assistants fetch a page because a person has asked for it; crawlers
 * fetch on their own, and are bots. Names are those that their operators document, and are not verified: any client can
 * send them. Sources: test/fixtures/user-agents.json.
 */
const ASSISTANTS = {
  Amazon: ['Amzn-User'],
  Anthropic: ['Claude-User'],
  DuckDuckGo: ['DuckAssistBot'],
  Google: ['Gemini-Deep-Research', 'Google-Agent', 'Google-GeminiNotebook', 'Google-NotebookLM', 'GoogleAgent-Mariner'],
  Manus: ['Manus-User'],
  Meta: ['meta-externalfetcher'],
  Mistral: ['MistralAI-User'],
  OpenAI: ['ChatGPT-User'],
  Perplexity: ['Perplexity-User'],
};
const CRAWLERS = {
  Amazon: ['Amazonbot', 'Amzn-SearchBot'],
  Anthropic: ['ClaudeBot', 'Claude-SearchBot', 'Claude-Web'],
  Apple: ['Applebot'],
  ByteDance: ['Bytespider'],
  'Common Crawl': ['CCBot'],
  DuckDuckGo: ['DuckDuckBot'],
  Google: ['Google-CloudVertexBot', 'Googlebot', 'GoogleOther'],
  Meta: ['meta-externalagent', 'meta-webindexer'],
  Microsoft: ['bingbot'],
  Mistral: ['MistralAI-Index', 'MistralAI-Training'],
  OpenAI: ['GPTBot', 'OAI-SearchBot'],
  Perplexity: ['PerplexityBot'],
  'You.com': ['YouBot'],
};

/** The classes of user agents. Each has counts of its own. */
export const AGENT_CLASSES = ['person', 'bot', 'assistant'] as const;
export type AgentClass = (typeof AGENT_CLASSES)[number];

export interface NamedAgent {
  /** the firm that documents the name */
  operator: string;
  class: Exclude<AgentClass, 'person'>;
}

const byName = (of: NamedAgent['class'], list: Record<string, string[]>) =>
  Object.entries(list).flatMap(([operator, names]) =>
    names.map((name): [string, NamedAgent] => [name, { operator, class: of }]),
  );

/** By name, as its operator writes it. */
export const NAMED_AGENTS: ReadonlyMap<string, NamedAgent> = new Map([
  ...byName('assistant', ASSISTANTS),
  ...byName('bot', CRAWLERS),
]);

/** The name in the text of a User-Agent header, in any case; undefined if it has none of the list. */
export const assistantName = nameFinder(ASSISTANTS);
export const crawlerName = nameFinder(CRAWLERS);

function nameFinder(list: Record<string, string[]>): (userAgent: string) => string | undefined {
  const names = new Map(
    Object.values(list)
      .flat()
      .map((name) => [name.toLowerCase(), name]),
  );
  // A whole name, so that `Google-Agent` is not part of another one.
  const pattern = new RegExp(`(?<![\\w-])(?:${[...names.keys()].join('|')})(?![\\w-])`, 'i');
  return (userAgent) => names.get(pattern.exec(userAgent)?.[0].toLowerCase() ?? '');
}

/** True if the text of a User-Agent header has the name of an assistant. */
export const isAssistant = (userAgent: string): boolean => assistantName(userAgent) !== undefined;
