// What all screens share: the address, the clock, the theme, what is told at the foot. The address is the state of a page.
import { computed, signal } from '@preact/signals';
import {
  addressIn,
  haveBase,
  pathWithin,
  readPlace,
  readShare,
  shareBy,
  withQuery,
} from '../pure/address.js';
import { sharedAddress } from '../pure/asking.js';

haveBase(document.documentElement.dataset['base'] ?? '');
/** The path of the page as the server knows it. */
export const pathHere = (): string => pathWithin(location.pathname);

/** The code by which this page is read without an account; nothing where one signed in. */
const shareCode = readShare(location.pathname).code;
export const isShared = shareCode !== undefined;
shareBy(shareCode);
/** The address of a file or stream of the server, as whoever looks may read it. */
export const readable = (address: string): string => addressIn(sharedAddress(address, shareCode));

const address = signal({ path: location.pathname, search: location.search });
const path = computed(() => address.value.path);
export const place = computed(() => readPlace(path.value));
export const query = computed(() => new URLSearchParams(address.value.search));

const readAddress = () => {
  address.value = { path: location.pathname, search: location.search };
};

/** One entry for each part of the page in which something is written and not stored yet. */
export const unsaved = new Set<object>();
/** Whether what is written may be lost: asked of whoever wrote it. */
export const mayLose = (): boolean => confirm('What you wrote is not stored. Go on, and lose it?');

/** How many steps within the app led here; each entry of the history holds its own, so that a step that is not wanted can be taken back. */
const stepOf = (state: unknown): number => Number(state ?? 0);
let step = stepOf(history.state);
addEventListener('popstate', ({ state }) => {
  const to = stepOf(state);
  // What changes within a page leaves what is written in it.
  if (location.pathname !== path.value && unsaved.size > 0 && !mayLose())
    return history.go(step - to);
  step = to;
  readAddress();
});

/** Goes to an address of the app, once what was written is stored. */
export const go = (to: string): void => {
  history.pushState(++step, '', addressIn(to));
  readAddress();
  scrollTo(0, 0);
};
/** Goes there unless what is written would be lost: the browser asks before it loads another page. */
export const visit = (to: string): void =>
  unsaved.size > 0 ? location.assign(addressIn(to)) : go(to);

/** Changes members of the address' query; only `asStep` can one go back to what was before. */
export const setQuery = (
  changes: Readonly<Record<string, string | undefined>>,
  asStep = false,
): void => {
  const to = location.pathname + withQuery(location.search, changes);
  if (asStep) history.pushState(++step, '', to);
  else history.replaceState(step, '', to);
  readAddress();
};

/** Links within the app are gone to without a new page; the browser keeps those that open elsewhere. */
export const followLinks = (event: MouseEvent): void => {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element | null)?.closest('a[href]'); // a click lands on elements only
  if (!(link instanceof HTMLAnchorElement) || link.target !== '' || link.origin !== location.origin)
    return;
  if (readPlace(link.pathname).screen === 'nothing' || link.hasAttribute('download')) return;
  event.preventDefault();
  visit(link.pathname + link.search);
};

const darkness = matchMedia('(prefers-color-scheme: dark)');
const systemDark = signal(darkness.matches);
darkness.addEventListener('change', ({ matches }) => {
  systemDark.value = matches;
});
/** `light`, `dark`, or what the system has. */
export const theme = signal(localStorage.getItem('theme') ?? 'system');
addEventListener('storage', ({ key, newValue }) => {
  if (key === 'theme') theme.value = newValue ?? 'system'; // another tab chose
});
export const isDark = computed(() =>
  theme.value === 'system' ? systemDark.value : theme.value === 'dark',
);
export const setTheme = (name: string): void => {
  localStorage.setItem('theme', name);
  theme.value = name;
};

export interface Toast {
  readonly id: number;
  readonly says: string;
  readonly undo?: () => void;
}
export const toasts = signal<readonly Toast[]>([]);
let lastToast = 0;
/** Tells something at the foot of the page for a while, with a way back where there is one; `dropToast` takes what it returns. */
export const tell = (says: string, undo?: () => void): number => {
  const id = ++lastToast;
  // What can be taken back makes way for nothing.
  const kept = toasts.value.filter((one, at, { length }) => one.undo || at >= length - 3);
  toasts.value = [...kept, { id, says, ...(undo === undefined ? {} : { undo }) }];
  setTimeout(() => dropToast(id), undo === undefined ? 5000 : 9000);
  return id;
};
export const dropToast = (id: number): void => {
  toasts.value = toasts.value.filter((one) => one.id !== id);
};

/** Whether keys are meant for a field and not for the page. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement
    ? !['checkbox', 'radio', 'button', 'range'].includes(target.type)
    : target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
