// The app begins here, while the rest of the page is on its way: who looks is asked first, then the address says what is shown.
import './style/base.css';
import './style/parts.css';
import './style/runs.css';
import './style/charts.css';
import './style/run.css';
import './style/compare.css';
import './style/registry.css';
import './style/settings.css';
import './style/traces.css';
import './style/evaluating.css';
import './style/boards.css';
import './style/reviewing.css';
import './style/narrow.css';
import 'uplot/dist/uPlot.min.css';
import { effect } from '@preact/signals';
import { render } from 'preact';
import { addressIn } from '../pure/address.js';
import { repliesCame } from './replies.js';
import { saysFault, session } from './request.js';
import { server } from './server.js';
import { followLinks, isShared, theme } from './state.js';
import { Shell } from './shell/shell.js';

const at = document.getElementById('app');
/** Who looks by a share code. */
const nobody = {
  userName: '',
  email: null,
  admin: false,
  viewOnly: true,
  via: 'session',
  csrfToken: null,
  expiresAt: null,
} as const;

/** Resolves once the styles are there: without them nothing has the size that charts are drawn in. */
const styled = (): Promise<unknown> => {
  const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')];
  return Promise.all(
    links.map((link) =>
      link.sheet === null
        ? new Promise((resolve) => {
            for (const one of ['load', 'error']) link.addEventListener(one, resolve);
          })
        : undefined,
    ),
  );
};

if (at !== null) {
  effect(() => {
    document.documentElement.dataset['theme'] = theme.value;
  });
  document.addEventListener('click', followLinks);
  const begin = (found: NonNullable<typeof session.value>) => {
    session.value = found;
    at.textContent = '';
    render(<Shell />, at);
  };
  const isBelow = addressIn('/') !== '/';
  Promise.all([repliesCame(), styled(), isBelow ? import('./below.js') : undefined])
    .then(() => (isShared ? nobody : server.whoAmI({})))
    .then(begin, (thrown: unknown) => {
      at.textContent = `This page could not begin: ${saysFault(thrown)}. Load it again.`;
    });
}
