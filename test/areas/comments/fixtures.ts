import { comment } from '#ports/model/comments';
import { kindIn, type AreaFixtures } from '#test/api/fixtures';
import { unknownId } from '#test/api/fresh';
import { comments } from './things.js';

export const fixtures: AreaFixtures = {
  areas: ['comments'],
  kinds: [
    kindIn(comment, comments, { name: ({ commentId }) => commentId, unknown: () => unknownId }),
  ],
  rows: { deleteComment: { consumes: true } },
};
