// Renders what handlers say a page shows: markup, and the headers that every page has.
import type { PageName, PageView, PageViews } from '#ports/pages';
import {
  accountPage,
  askedPage,
  forgotPage,
  gonePage,
  invitationPage,
  loginPage,
  logoutPage,
  resetPage,
  signUpPage,
  welcomePage,
} from './accounts.js';
import { framed, pageHeaders, type Frame } from './frame.js';
import { homePage } from './home.js';
import { claimPage, consentPage, thingPage } from './consent-and-links.js';

/** A page as it goes out. */
export interface Page {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type FramedName = Exclude<PageName, 'home'>;

const pages: { readonly [N in FramedName]: (shows: PageViews[N]) => Frame } = {
  login: loginPage,
  logout: logoutPage,
  forgot: forgotPage,
  asked: askedPage,
  reset: resetPage,
  gone: gonePage,
  invitation: invitationPage,
  signUp: signUpPage,
  welcome: welcomePage,
  account: accountPage,
  consent: consentPage,
  thing: thingPage,
  claim: claimPage,
};

/** The page of a view. */
export const render = (view: PageView): Page => {
  // The page at the root has its style in itself, so that it looks the same while the rest of the server is down.
  if (view.page === 'home') return { headers: {}, body: homePage(view.shows) };
  const draw = pages[view.page] as (shows: unknown) => Frame; // the table pairs each name with what it shows, as the view does
  const headers = pageHeaders(view.page === 'consent' ? view.shows.answersAt : []);
  return { headers, body: framed(draw(view.shows)) };
};
