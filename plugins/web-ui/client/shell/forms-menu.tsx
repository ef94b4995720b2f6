import { formsOf, type FormRows } from '../../pure/forms.js';
import { Menu } from './menu.js';
import { pathHere } from '../state.js';

export interface FormsOf {
  /** How many rows there are, of which the forms have so many at most. */
  readonly rows?: FormRows;
  /** Whether there are forms of charts besides. */
  readonly charts?: boolean;
}

export const FormsMenu = ({
  rows,
  charts = false,
  at,
  onClose,
}: FormsOf & { readonly at: Element; readonly onClose: () => void }) => (
  <Menu
    at={at}
    label="Other forms"
    entries={formsOf({ path: pathHere(), search: location.search }, rows, charts)}
    onClose={onClose}
  />
);
