// The page of monitored models: a custom element, which the web UI shows at /w/{workspace}/x/monitoring/models.
import { asker, type Context } from './asking.js';
import { againButton, askedAgain, h } from './elements.js';
import { showModel } from './model-view.js';
import { saysOf, showModels } from './models-view.js';
import { readPlace, writePlace, type Place } from './place.js';
import { rules } from './style.js';

const sheet = new CSSStyleSheet();
sheet.replaceSync(rules);
document.adoptedStyleSheets.push(sheet);

class MonitoredModels extends HTMLElement {
  #context: Context | undefined;
  /** Counts what was begun, so that what comes late is not shown over what was asked for after it. */
  #turn = 0;
  #drawnOf = '';
  readonly #onMove = () => void this.#draw();

  set context(given: Context) {
    this.#context = given;
    if (this.#drawnOf !== given.workspace) void this.#draw();
  }
  connectedCallback(): void {
    addEventListener('popstate', this.#onMove);
    this.addEventListener(askedAgain, this.#onMove);
  }
  disconnectedCallback(): void {
    removeEventListener('popstate', this.#onMove);
    this.removeEventListener(askedAgain, this.#onMove);
  }
  #open(change: Partial<Place>): void {
    const to = writePlace({ ...readPlace(location.search), ...change });
    if (to !== location.search) history.pushState(null, '', location.pathname + to);
    void this.#draw();
  }
  /** Why nothing is shown, and the way on from a model that is not there, or no longer. */
  #says(thrown: unknown, { model }: Place): HTMLElement {
    const back = {
      ...{ type: 'button', class: 'mon-link' },
      click: () =>
        this.#open({ model: undefined, field: undefined, version: undefined, tab: 'features' }),
    };
    return h(
      'div',
      { class: 'empty' },
      h('p', { class: 'fault', role: 'alert' }, `${saysOf(thrown)}. `, againButton()),
      model === undefined ? undefined : h('p', {}, h('button', back, '← all models')),
    );
  }
  async #draw(): Promise<void> {
    const context = this.#context;
    if (context === undefined || !this.isConnected) return;
    this.#drawnOf = context.workspace;
    const turn = ++this.#turn;
    const place = readPlace(location.search);
    const open = (change: Partial<Place>) => {
      this.#open(change);
    };
    if (this.childElementCount === 0) this.replaceChildren(h('p', { class: 'faint' }, 'loading …'));
    const ask = asker(context);
    const made = await (
      place.model === undefined
        ? showModels(ask, context.workspace, place, open)
        : showModel(
            ask,
            {
              workspace: context.workspace,
              base: context.base ?? '',
              place,
              mayWrite: context.viewOnly !== true,
              open,
            },
            place.model,
          )
    ).catch((thrown: unknown) => this.#says(thrown, place));
    if (turn === this.#turn) this.replaceChildren(made);
  }
}
customElements.define('monitored-models', MonitoredModels);
