const svgNames = new Set(['svg', 'g', 'path', 'text', 'rect', 'circle', 'clipPath', 'title']);

/** An element with attributes; what is inside is elements and text. */
export const part = (
  name: string,
  attributes: Readonly<Record<string, string>>,
  ...inside: readonly (Node | string)[]
): Element => {
  const made = svgNames.has(name)
    ? document.createElementNS('http://www.w3.org/2000/svg', name)
    : document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...inside);
  return made;
};
