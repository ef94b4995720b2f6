import { kind } from '../api/kind.js';

/** What somebody said about a run, a range of its steps, or a version of a registered model. */
export interface Comment {
  readonly id: string;
  /** The run that it is about; `undefined` for one about a version. */
  readonly experimentId: string | undefined;
  /** The version that it is about, and its model. */
  readonly versionId: string | undefined;
  readonly modelId: string | undefined;
  /** First and last step that it is about; both or neither. */
  readonly firstStep: number | undefined;
  readonly lastStep: number | undefined;
  readonly authorId: string;
  /** Empty where the account is gone. */
  readonly authorName: string;
  /** Plain text; pages show it as text. */
  readonly text: string;
  readonly createdAt: number;
  readonly editedAt: number | undefined;
}
export const comment = kind<Comment>()('comment');
