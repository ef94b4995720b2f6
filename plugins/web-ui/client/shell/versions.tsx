// The versions of a thing beside the one that is shown; and what is said while it is on its way, or where there is none.
import type { ComponentChildren } from 'preact';
import type { Loaded } from '../loading.js';

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
      <p class="faint">loading …</p>
    ) : (
      <>
        <h1>There is nothing here</h1>
        <p class="fault">{fault}</p>
        <p>
          <a href="/w">To the workspaces</a>
        </p>
      </>
    )}
  </main>
);
