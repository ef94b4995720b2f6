// How a plugin adds pages and panels to the web UI: custom elements, which its own scripts define.
import { port } from './port.js';

/**
 * A custom element of the plugin. The web UI imports `script` as a module when the element is first shown, makes the element, and sets its
 * property `context`, anew whenever something of it changes:
 *
 * - `workspace` and `project`: the names, not the ids, of what is looked at; `project` is absent on a page of a workspace. A row that takes an id of
 *   a project is asked after `POST /v1/private/projects/retrieve` with `{ name }`, which gives it as `id`;
 * - `theme`: `light` or `dark`; the page's own colours are there as CSS variables (`--ink`, `--paper`, `--line`, `--accent`);
 * - `base`: what stands before the server's own addresses in links, as in `${base}/w/…`: empty, or a path of the host such as `/orrery`;
 * - `viewOnly`: whether whoever looks may change nothing, so that nothing need be offered that the server would refuse;
 * - `ask(method, path, body?)`: asks a row of the API with the rights of whoever looks, with a body as JSON or a `FormData`; resolves with the
 *   parsed JSON or the text of the reply, or rejects with an error whose `status` and `message` are the server's;
 * - of a panel, `runs`: the runs that are shown, as `{ key, name }` in their order, at most 100.
 */
export interface UiElement {
  /** Lower-case words with dashes; stands in addresses. */
  readonly name: string;
  /** What people read, at most 60 characters. */
  readonly title: string;
  /** The name by which the script defines the element: lower case, with a dash. */
  readonly element: string;
  /** Name of a file of the folder. */
  readonly script: string;
}

export interface UiPage extends UiElement {
  /** Where it stands among the tabs: of every workspace, or of every project. */
  readonly of: 'workspace' | 'project';
  /**
   * What clients put behind `#` in a link to a workspace (`/{workspace}#model-production-monitoring`) to mean this page of a workspace: such a
   * link then opens it.
   */
  readonly anchor?: string;
}

export interface UiAdditions {
  /** The folder of scripts, styles and other files, which anybody may read; folders within are not served. */
  readonly folder: URL;
  readonly pages?: readonly UiPage[];
  /** Shown beside the charts of the runs of a project. */
  readonly panels?: readonly UiElement[];
}

export interface PluginUi {
  /** What the plugins that take part add, in the order in which they are listed. */
  list(): readonly { readonly plugin: string; readonly ui: UiAdditions }[];
}
export const PluginUi = port<PluginUi>('plugin-ui');
