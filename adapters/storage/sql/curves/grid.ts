import type { CurveGrid } from '#ports/storage/curves';

/** Where a bucket begins; of the one behind the last, where the grid ends. */
export const edgeOf = ({ from, to, buckets, scale }: CurveGrid, bucket: number): number =>
  scale === 'linear'
    ? from + (bucket * (to - from)) / buckets
    : from * Math.exp((bucket * Math.log(to / from)) / buckets);
