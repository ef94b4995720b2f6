// Elements of the page: made by hand, since a page of a plugin brings no library along.

type Child = Node | string | number | undefined;
type Attributes = Readonly<Record<string, string | number | boolean | ((event: Event) => void)>>;

const fill = (made: Element, attributes: Attributes, children: readonly Child[]): void => {
  for (const [name, value] of Object.entries(attributes))
    if (typeof value === 'function') made.addEventListener(name, value);
    else if (value !== false) made.setAttribute(name, value === true ? '' : String(value));
  made.append(
    ...children
      .filter((child) => child !== undefined)
      .map((child) => (typeof child === 'number' ? String(child) : child)),
  );
};

/** An element with its attributes, listeners by the names of their events, and children; texts stay texts, whatever is in them. */
export const h = <N extends keyof HTMLElementTagNameMap>(
  name: N,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[N] => {
  const made = document.createElement(name);
  fill(made, attributes, children);
  return made;
};

/** What asks for everything on the page once more; the page listens for it. */
export const askedAgain = 'asked-again';

/** Asks once more for what did not come. */
export const againButton = (): HTMLElement => {
  const button = h('button', { type: 'button' }, 'Try again');
  button.addEventListener('click', () =>
    button.dispatchEvent(new CustomEvent(askedAgain, { bubbles: true })),
  );
  return button;
};

/** The same of a drawing. */
export const svg = (
  name: string,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElement => {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  fill(made, attributes, children);
  return made;
};

/** A number as people read it: at most four digits that count. */
export const shown = (value: number | null | undefined): string =>
  value === null || value === undefined
    ? '–'
    : new Intl.NumberFormat('en', { maximumSignificantDigits: 4 }).format(value);

export const percent = (share: number | null | undefined): string =>
  share === null || share === undefined ? '–' : `${shown(Math.round(share * 1000) / 10)}%`;

/** A moment in UTC, to the minute. */
export const moment = (ms: number | null | undefined): string =>
  ms === null || ms === undefined ? '–' : new Date(ms).toISOString().slice(0, 16).replace('T', ' ');

/** A table whose first column names its rows. */
export const table = (
  caption: string,
  heads: readonly string[],
  rows: readonly (readonly Child[])[],
): HTMLElement =>
  h(
    'div',
    { class: 'mon-scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    h(
      'table',
      { class: 'mon-table' },
      h('caption', {}, caption),
      h('thead', {}, h('tr', {}, ...heads.map((head) => h('th', { scope: 'col' }, head)))),
      h(
        'tbody',
        {},
        ...rows.map(([first, ...rest]) =>
          h('tr', {}, h('th', { scope: 'row' }, first), ...rest.map((cell) => h('td', {}, cell))),
        ),
      ),
    ),
  );

/** A row of buttons of which one is chosen. */
export const choice = <T extends string>(
  label: string,
  options: readonly T[],
  chosen: T,
  choose: (option: T) => void,
  says: (option: T) => string = (option) => option,
): HTMLElement =>
  h(
    'div',
    { class: 'mon-choice', role: 'group', 'aria-label': label },
    ...options.map((option) =>
      h(
        'button',
        { type: 'button', 'aria-pressed': String(option === chosen), click: () => choose(option) },
        says(option),
      ),
    ),
  );

/** A field and a button by which a list is narrowed to names with a text in them. */
export const searchForm = (
  label: string,
  search: string,
  find: (search: string) => void,
): HTMLElement => {
  const field = h('input', { type: 'search', value: search, 'aria-label': label });
  const submit = (event: Event) => {
    event.preventDefault();
    find(field.value);
  };
  return h(
    'form',
    { role: 'search', class: 'mon-bar', submit },
    field,
    h('button', { type: 'submit' }, 'Find'),
  );
};
