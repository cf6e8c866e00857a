/**
 * `*` and a segment `:name` in a source, and `$1` in a target, are wildcards in some tools and text in others. `\d`,
 * `(a|b)`, `.+` and `]+` are parts of patterns, and of hardly any path.
 */
export const AMBIGUOUS_SOURCE = /\*|[/.-]:[A-Za-z_]|\\|\([^()]*\||[).\]]\+/;
export const AMBIGUOUS_TARGET = /\$\d/;
