// The app begins here: who looks is asked first, then the address says what is shown.
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
  const came = isShared ? nobody : server.whoAmI.now({});
  if (came !== undefined) begin(came);
  else
    server.whoAmI({}).then(begin, (thrown: unknown) => {
      at.textContent = `This page could not begin: ${saysFault(thrown)}. Load it again.`;
    });
}
