import type { CurveGrid } from '#ports/storage/curves';

/** The bucket in which a place of the range lies. */
export const bucketOf = ({ from, to, buckets, scale }: CurveGrid): ((x: number) => number) => {
  if (!(to > from) || buckets === 1) return () => 0;
  const last = buckets - 1;
  if (scale === 'linear') {
    const width = to - from;
    return (x) => Math.min(last, Math.floor(((x - from) / width) * buckets));
  }
  const width = Math.log(to / from);
  return (x) => Math.min(last, Math.max(0, Math.floor((Math.log(x / from) / width) * buckets)));
};

/** Where a bucket begins; of the one behind the last, where the grid ends. */
export const edgeOf = ({ from, to, buckets, scale }: CurveGrid, bucket: number): number =>
  scale === 'linear'
    ? from + (bucket * (to - from)) / buckets
    : from * Math.exp((bucket * Math.log(to / from)) / buckets);
