/** A token bucket holds up to `burst` tokens and gains `perSecond` tokens each second. A call takes one. */
interface Bucket {
  tokens: number
  at: number
}

export interface Limit {
  readonly perSecond: number
  readonly burst: number
}

export interface Limiter {
  /** Takes a token and returns 0, or returns how many seconds the caller must wait for one. */
  take(name: string): number
  /** Returns what `take` would return now, without taking a token. */
  peek(name: string): number
}

const maxBuckets = 50_000

export function limiter({ perSecond, burst }: Limit, clock: () => number): Limiter {
  const buckets = new Map<string, Bucket>()
  const refilled = (name: string): Bucket => {
    const at = clock()
    const bucket = buckets.get(name) ?? { tokens: burst, at }
    bucket.tokens = Math.min(burst, bucket.tokens + ((at - bucket.at) / 1000) * perSecond)
    bucket.at = at
    return bucket
  }
  /** Drops full buckets first, since a full bucket is the same as none, and then the oldest until there is room. */
  const makeRoom = () => {
    for (const [name, bucket] of buckets) if (bucket.tokens + ((clock() - bucket.at) / 1000) * perSecond >= burst) buckets.delete(name)
    for (const name of buckets.keys()) {
      if (buckets.size < maxBuckets) return
      buckets.delete(name)
    }
  }
  const wait = (bucket: Bucket): number => (bucket.tokens >= 1 ? 0 : Math.max(1, Math.ceil((1 - bucket.tokens) / perSecond)))
  return {
    take(name) {
      const bucket = refilled(name)
      const seconds = wait(bucket)
      if (seconds === 0) bucket.tokens -= 1
      if (!buckets.has(name) && buckets.size >= maxBuckets) makeRoom()
      buckets.set(name, bucket)
      return seconds
    },
    peek: (name) => wait(refilled(name)),
  }
}
