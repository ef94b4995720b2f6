// What the views of files share.
import { useLoaded } from '../loading.js';
import { addressOf, loadText, type Media } from './files.js';

/** The text of a file, or why there is none. */
export const useText = (of: Media) => useLoaded((signal) => loadText(of, signal), [of.run, of.id]);

export { Wait } from '../shell/wait.js';
/** What is said of a file that is not as it should be. */
export const Odd = ({ of }: { of: Media }) => (
  <p class="faint">
    {of.name} is not of the form that is drawn here;{' '}
    <a href={addressOf(of)} download>
      download it
    </a>
  </p>
);
