// The one page of it, in the look of the server's own pages.
const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

const frame = (title: string, content: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)} · Orrery</title><link rel="stylesheet" href="/pages-1.css"></head>
<body><main><section class="card"><h1>${escaped(title)}</h1>${content}</section></main></body></html>`;

export const pageHeaders = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
} as const;

export const gonePage = (reason: string): string =>
  frame(
    'Nothing to claim',
    `<p>${escaped(reason)}.</p><p class="links"><a href="/login">To sign-in</a></p>`,
  );

interface ClaimView {
  readonly token: string;
  readonly projects: number;
  readonly experiments: number;
  readonly daysLeft: number;
  /** Who is signed in, and the workspaces that he administers. */
  readonly who?: {
    readonly name: string;
    readonly csrf: string;
    readonly workspaces: readonly string[];
  };
}

export const claimPage = ({ token, projects, experiments, daysLeft, who }: ClaimView): string => {
  const path = `/claim/${encodeURIComponent(token)}`;
  const what = `<p>${experiments} ${experiments === 1 ? 'experiment' : 'experiments'} in ${projects} ${projects === 1 ? 'project' : 'projects'} were logged without an account. They are public, and will be deleted in ${daysLeft} ${daysLeft === 1 ? 'day' : 'days'} unless somebody claims them.</p>`;
  if (who === undefined)
    return frame(
      'Claim your experiments',
      `${what}<p><a class="button" href="/login?returnTo=${encodeURIComponent(path)}">Sign in to claim them</a></p>`,
    );
  if (who.workspaces.length === 0)
    return frame(
      'Claim your experiments',
      `${what}<p>You administer no workspace that could take them, ${escaped(who.name)}.</p>`,
    );
  return frame(
    'Claim your experiments',
    `${what}<form method="post" action="${escaped(path)}"><input type="hidden" name="csrf" value="${escaped(who.csrf)}">
<p><label for="workspaceName">Workspace that takes them</label><select id="workspaceName" name="workspaceName">${who.workspaces.map((name) => `<option>${escaped(name)}</option>`).join('')}</select></p>
<p><button type="submit">Claim them</button></p></form>`,
  );
};
