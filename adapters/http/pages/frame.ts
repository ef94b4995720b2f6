// The frame of the product's pages for people: text that cannot become markup, one look, and headers that let nothing foreign in.
// Pages work without script and fetch nothing but their own style.

/** Markup; a text becomes markup by `html` only, which escapes it. */
export interface Html {
  readonly markup: string;
}
type Piece = Html | string | number | undefined | readonly Html[];

/** A text as it may stand in markup, also between quotes. */
export const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');

const pieceOf = (piece: Piece): string => {
  if (piece === undefined) return '';
  if (typeof piece === 'string' || typeof piece === 'number') return escapeHtml(String(piece));
  return 'markup' in piece ? piece.markup : piece.map(({ markup }) => markup).join('\n');
};

/** Markup from a template: what is put in is escaped unless it is markup already; `undefined` is nothing. */
export const html = (texts: TemplateStringsArray, ...pieces: readonly Piece[]): Html => ({
  markup: texts.reduce((whole, text, at) => `${whole}${pieceOf(pieces[at - 1])}${text}`),
});
export const nothing: Html = { markup: '' };

/** Address of the style sheet; a new one for each look, so that browsers may keep it. */
export const stylePath = '/pages-1.css';

export interface Frame {
  readonly title: string;
  readonly content: Html;
  /** Who is signed in; shows the way to the account and out. */
  readonly who?: { readonly name: string; readonly csrf: string };
  /** For lists and tables; forms are narrow. */
  readonly wide?: boolean;
}

const mark =
  '<svg class="mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true"><g fill="none" stroke="currentColor" stroke-width="1.6"><circle cx="16" cy="16" r="13.5" opacity=".45"/><circle cx="16" cy="16" r="8"/></g><circle cx="16" cy="16" r="3" fill="currentColor"/><circle cx="21.7" cy="10.3" r="2.2" fill="currentColor"/><circle cx="4.3" cy="22.7" r="1.7" fill="currentColor"/></svg>';
export const icon = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="12" fill="none" stroke="#6d5ae6" stroke-width="2.5"/><circle cx="16" cy="16" r="5" fill="#6d5ae6"/><circle cx="24.5" cy="7.5" r="3.5" fill="#6d5ae6"/></svg>')}`;

const whoIsHere = ({ name, csrf }: { readonly name: string; readonly csrf: string }): Html =>
  html`<nav aria-label="Account"><a href="/account">${name}</a><form method="post" action="/logout"><input type="hidden" name="csrf" value="${csrf}"><button class="link">Sign out</button></form></nav>`;

/** A whole page. */
export const framed = ({ title, content, who, wide = false }: Frame): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="robots" content="noindex">
<title>${title} · Orrery</title><link rel="icon" href="${icon}"><link rel="stylesheet" href="${stylePath}"></head><body>
<header><a class="home" href="/">${{ markup: mark }}<span>Orrery</span></a>${who === undefined ? nothing : whoIsHere(who)}</header>
<main class="${wide ? 'wide' : 'narrow'}">
${content}
</main></body></html>
`.markup;

/** What happened, told above a form: `fault` is read out at once by screen readers. */
export const notice = (
  kind: 'fault' | 'done' | 'note',
  says: Html | string | readonly string[],
): Html => {
  const lines = Array.isArray(says) ? (says as readonly string[]) : undefined; // the only list that it takes
  const [first] = lines ?? [];
  const inside =
    lines === undefined
      ? html`<p>${says as Html | string}</p>`
      : lines.length === 1 && first !== undefined
        ? html`<p>${first}</p>`
        : html`<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`; // no list, as was just asked
  return html`<div class="notice ${kind}" role="${kind === 'fault' ? 'alert' : 'status'}">${inside}</div>`;
};

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'email' | 'password' | 'search';
  /** What the browser may fill in: `username`, `current-password`, `new-password`, `email`, `off`. */
  readonly autocomplete: string;
  readonly value?: string;
  readonly hint?: string;
  readonly optional?: boolean;
  readonly autofocus?: boolean;
}

/** A labelled line to type into; a password's value is never sent back. */
export const field = ({
  name,
  label,
  type = 'text',
  autocomplete,
  value = '',
  hint,
  optional = false,
  autofocus = false,
}: Field): Html =>
  html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" autocapitalize="none" spellcheck="false"${type === 'password' ? nothing : html` value="${value}"`}${hint === undefined ? nothing : html` aria-describedby="${name}-hint"`}${optional ? nothing : html` required`}${autofocus ? html` autofocus` : nothing}>${hint === undefined ? nothing : html`<p class="hint" id="${name}-hint">${hint}</p>`}</div>`;

export const hidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}">`;

export interface Choice {
  readonly name: string;
  readonly label: string;
  readonly choices: readonly {
    readonly value: string;
    readonly label: string;
    readonly chosen?: boolean;
  }[];
}
/** One of several, in a list that folds out. */
export const choice = ({ name, label, choices }: Choice): Html =>
  html`<div class="field"><label for="${name}">${label}</label><select id="${name}" name="${name}">${choices.map((one) => html`<option value="${one.value}"${one.chosen === true ? html` selected` : nothing}>${one.label}</option>`)}</select></div>`;

/** A button that sends its form; with `name`, it says which of several was pressed. */
export const button = (
  label: string,
  {
    kind = 'main',
    name,
    value = '',
  }: {
    readonly kind?: 'main' | 'plain' | 'danger';
    readonly name?: string;
    readonly value?: string;
  } = {},
): Html =>
  html`<button class="${kind}"${name === undefined ? nothing : html` name="${name}" value="${value}"`}>${label}</button>`;

/** A form that posts to a path of our own, with the token that proves that it came from our page. */
export const form = (action: string, csrf: string, content: Html): Html =>
  html`<form method="post" action="${action}">${hidden('csrf', csrf)}${content}</form>`;

/** A heading with a line beneath it. */
export const heading = (title: string, says?: string | Html): Html =>
  html`<h1>${title}</h1>${says === undefined ? nothing : html`<p class="lead">${says}</p>`}`;

/** Headers of every page: no script, no frame, nothing kept, nothing told to other sites. `sendsTo` are origins that a form's answer may lead to, which browsers hold against the policy too. */
export const pageHeaders = (sendsTo: readonly string[] = []): Readonly<Record<string, string>> => ({
  'Content-Security-Policy': `default-src 'none'; style-src 'self'; img-src data:; form-action ${["'self'", ...sendsTo].join(' ')}; frame-ancestors 'none'; base-uri 'none'`,
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
});

const titles: Readonly<Record<number, string>> = {
  400: 'That did not work',
  403: 'That is not allowed',
  404: 'There is nothing here',
  409: 'That did not work',
  413: 'That is too much',
  415: 'That did not work',
  422: 'That did not work',
  429: 'Please wait a moment',
  503: 'Not ready yet',
};

/** A refusal's words as a sentence of its own; the name of a field stays as it is. */
export const asSentence = (words: string): string =>
  `${/^[a-z]+[ ,]/.test(words) ? words.slice(0, 1).toUpperCase() : words.slice(0, 1)}${words.slice(1)}${/[.!?]$/.test(words) ? '' : '.'}`;

/** The page that tells what went wrong. */
export const failurePage = (
  status: number,
  sentence: string,
): { readonly headers: Readonly<Record<string, string>>; readonly body: string } => {
  const title = titles[status] ?? 'Something went wrong';
  return {
    headers: pageHeaders(),
    body: framed({
      title,
      content: html`${heading(title, asSentence(sentence))}<p class="links"><a href="/">Start page</a><a href="/login">Sign in</a></p>`,
    }),
  };
};

/** The look, light and dark, from a phone's width on. */
export const style = `
:root{color-scheme:light dark;--ink:light-dark(#1b1d27,#e9eaf2);--soft:light-dark(#585d70,#a5aabc);--paper:light-dark(#f6f6fa,#12141c);--card:light-dark(#fff,#1b1e29);--line:light-dark(#d9dbe6,#333848);--edge:light-dark(#8a8fa3,#6e7489);
--accent:light-dark(#5243c2,#a79bff);--on-accent:light-dark(#fff,#15131f);--fault:light-dark(#a3202c,#ff9d9d);--fault-paper:light-dark(#fdeced,#36191d);--done:light-dark(#176a37,#7ddc9f);--done-paper:light-dark(#e8f6ed,#14301f);--note-paper:light-dark(#eeecfb,#242038);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);min-height:100vh}
a{color:var(--accent)}:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:.25rem}
header{display:flex;align-items:center;justify-content:space-between;gap:1rem;padding:1rem clamp(1rem,4vw,2rem)}
.home{display:inline-flex;align-items:center;gap:.6rem;color:var(--ink);font-weight:650;font-size:1.15rem;letter-spacing:.01em;text-decoration:none}.mark{color:var(--accent)}
nav{display:flex;align-items:center;gap:1rem;min-width:0}nav>a{overflow:hidden;text-overflow:ellipsis;white-space:nowrap;max-width:40vw}nav form{flex:none}
main{margin:clamp(1rem,7vh,5rem) auto 3rem;padding:clamp(1.25rem,5vw,2.25rem);background:var(--card);border:1px solid var(--line);border-radius:.9rem;box-shadow:0 1px 2px #0001,0 8px 30px #0000000d}
.narrow{width:min(26.5rem,calc(100% - 2rem))}.wide{width:min(56rem,calc(100% - 2rem));margin-top:clamp(.5rem,3vh,2rem)}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .35rem;letter-spacing:-.01em;overflow-wrap:anywhere}h2{font-size:1.1rem;margin:2.25rem 0 .5rem}p{margin:.5rem 0}
.lead,.hint,.soft{color:var(--soft)}.lead{margin:0 0 1.25rem}.hint{font-size:.875rem;margin:.3rem 0 0}
.field{margin:1rem 0}label{display:block;font-weight:550;margin-bottom:.3rem}
input:not([type=hidden]):not([type=checkbox]):not([type=radio]),select{width:100%;font:inherit;color:inherit;background:var(--paper);border:1px solid var(--edge);border-radius:.5rem;padding:.6rem .75rem;min-height:2.75rem}
button,.button{font:inherit;font-weight:600;border:1px solid transparent;border-radius:.5rem;padding:.55rem 1.1rem;min-height:2.75rem;cursor:pointer;text-decoration:none;display:inline-block;text-align:center}
button.main,.button{background:var(--accent);color:var(--on-accent)}.narrow button.main,.narrow .button{width:100%;margin-top:.5rem}
button.plain{background:transparent;color:var(--ink);border-color:var(--edge)}button.danger{background:transparent;color:var(--fault);border-color:var(--fault)}
button.link{background:none;border:0;padding:.25rem 0;min-height:0;font-weight:400;color:var(--accent);text-decoration:underline}
button:hover,.button:hover{filter:brightness(1.08)}
.row{display:flex;flex-wrap:wrap;gap:.75rem;align-items:end}.row .field{flex:1 1 14rem;margin:.5rem 0}.row button{margin:.5rem 0}.narrow .row button.main{width:auto;flex:1}
.links{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;justify-content:space-between;margin:1.25rem 0 0}
.notice{border-radius:.5rem;padding:.6rem .9rem;margin:0 0 1.25rem;background:var(--note-paper);overflow-wrap:anywhere}.notice p{margin:0}.notice ul{margin:0;padding-left:1.1rem}
.notice.fault{background:var(--fault-paper);color:var(--fault)}.notice.done{background:var(--done-paper);color:var(--done)}
table{width:100%;border-collapse:collapse}th,td{text-align:left;padding:.6rem .75rem .6rem 0;border-bottom:1px solid var(--line);vertical-align:middle;overflow-wrap:anywhere}th{font-size:.875rem;color:var(--soft);font-weight:550}td:last-child,th:last-child{padding-right:0;text-align:right}
code,.secret{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.925em;overflow-wrap:anywhere}.secret{display:block;background:var(--paper);color:var(--ink);border:1px solid var(--line);border-radius:.5rem;padding:.75rem;margin-top:.6rem;user-select:all}
ul.facts{list-style:none;padding:0;margin:1rem 0}ul.facts li{padding:.5rem 0;border-bottom:1px solid var(--line)}
@media (max-width:40rem){main{box-shadow:none}.wide table,.wide tbody,.wide tr,.wide td{display:block}.wide thead{position:absolute;clip-path:inset(50%);height:1px;width:1px;overflow:hidden}.wide tr{padding:.6rem 0;border-bottom:1px solid var(--line)}.wide td{border:0;padding:.15rem 0}.wide td:last-child{text-align:left;padding-top:.4rem}}
`;
