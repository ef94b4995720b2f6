// Whom a comment names. Pure.

/** Names that one comment may tell: more are read as words. */
export const mostMentions = 50;

/** Names behind an `@` at the beginning of a word, each once. What ends a sentence is no part of a name, unless `members` has it so. */
export const mentionsIn = (text: string, members: ReadonlySet<string>): readonly string[] => {
  const found = new Set<string>();
  for (const word of text.split(/[\s,;:!?()[\]{}<>"']/)) {
    if (!word.startsWith('@') || found.size >= mostMentions) continue;
    let name = word.slice(1, 201);
    while (name !== '' && !members.has(name) && name.endsWith('.')) name = name.slice(0, -1);
    if (members.has(name)) found.add(name);
  }
  return [...found];
};
