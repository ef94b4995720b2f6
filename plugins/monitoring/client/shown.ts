// What is shown of one model, and what parts of it share.
import type { Asker, ReplyTo } from './asking.js';
import { againButton, h } from './elements.js';
import { saysOf } from './models-view.js';
import { spanOf, type Place } from './place.js';

export interface Shown {
  readonly ask: Asker;
  readonly workspace: string;
  /** What stands before addresses in links. */
  readonly base: string;
  readonly place: Place;
  readonly model: ReplyTo<'getMonitoredModelById'>;
  readonly mayWrite: boolean;
  open(place: Partial<Place>): void;
}

export const askedOf = ({ place, model }: Shown) => ({
  modelId: model.modelId,
  ...spanOf(place, Date.now()),
  ...(place.version === undefined ? {} : { version: place.version }),
});
export const dayOf = (x: string): string => x.slice(0, 10);

/** Something that comes later in its place, or a sentence on why it did not with a way to ask once more. */
export const later = (made: Promise<Node | string>): HTMLElement => {
  const place = h('span', {}, '…');
  made.then(
    (node) => place.replaceChildren(node),
    (thrown: unknown) =>
      place.replaceChildren(h('span', { class: 'fault' }, saysOf(thrown)), ' ', againButton()),
  );
  return place;
};

/** Does something and shows the model anew, or says why it could not. */
export const doing =
  ({ open }: Shown, told: HTMLElement) =>
  (work: Promise<unknown>, says: string): void => {
    work.then(
      () => open({}),
      (thrown: unknown) => told.replaceChildren(h('span', { class: 'fault' }, saysOf(thrown))),
    );
    told.replaceChildren(says);
  };

/** A field with what it is for. */
export const labelled = (id: string, says: string, control: HTMLElement): HTMLElement =>
  h('p', {}, h('label', { for: id }, says, ' '), control);
