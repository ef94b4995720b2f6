// The versions of a thing beside the one that is shown; and what is said while it is on its way, or where there is none.
import type { ComponentChildren } from 'preact';
import type { Loaded } from '../loading.js';
import { AskAgain, Wait } from './wait.js';

const mostListed = 500;

export interface ListedVersion {
  readonly version: string;
  readonly says: string;
  readonly address: string;
}

export const Versions = ({
  all,
  shown,
  named,
  what,
  children,
}: {
  all: readonly ListedVersion[];
  /** The version that is shown. */
  shown: string | undefined;
  /** The one that the address names. */
  named: string | undefined;
  what: string;
  children: ComponentChildren;
}) => (
  <div class="with-list">
    <nav aria-label="Versions">
      <ul class="versions">
        {all.slice(0, mostListed).map(({ version, says, address }) => (
          <li key={version}>
            <a
              href={address}
              aria-current={version === shown ? 'page' : undefined}
              title={`${version} ${says}`}
            >
              {version} <span class="faint">{says}</span>
            </a>
          </li>
        ))}
      </ul>
      {all.length > mostListed ? (
        <p class="faint">
          the newest {mostListed} of {all.length}
        </p>
      ) : null}
    </nav>
    {shown === undefined ? (
      <p class="fault">
        {named === undefined ? `This ${what} has no version.` : `There is no version ${named}.`}
      </p>
    ) : (
      children
    )}
  </div>
);

/** Stands in for a page of one thing until that is there. */
export const Coming = ({ of: { fault } }: { of: Loaded<unknown> }) => (
  <main class="page">
    {fault === undefined ? (
      <Wait />
    ) : (
      <>
        <h1>There is nothing here</h1>
        <Wait fault={fault} />
        <p>
          <a href="/w">To the workspaces</a>
        </p>
      </>
    )}
  </main>
);

/** What a page says at its top of the thing that it is about: that it was deleted meanwhile, or why it could not be asked for anew. */
export const Stale = ({
  of: { fault, gone },
  what,
  list,
}: {
  of: Pick<Loaded<unknown>, 'fault' | 'gone'>;
  what: string;
  /** The address at which others like it are. */
  list: string;
}) =>
  gone ? (
    <p class="fault told" role="alert">
      This {what} is no longer there. What is shown is from before it was deleted.{' '}
      <a href={list}>To the others</a>
    </p>
  ) : fault === undefined ? null : (
    <p class="fault told">
      {fault} <AskAgain />
    </p>
  );
