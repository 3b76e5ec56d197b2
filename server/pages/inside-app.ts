/**
 * A browser inside another app: links to wallets go nowhere from many of them. Android says `wv` of nearly all, iOS leaves out
 * `Safari`; the others are named. Whether it is an app that brings a wallet or listens to us is seen in the window, not here.
 */
export const isInsideApp = (userAgent = ''): boolean =>
  /; wv\)|FB_?(AN|AV|IAB)\b|Instagram|\bLine\/|MicroMessenger|TikTok|musical_ly|Bytedance|Snapchat|Telegram|Twitter|KAKAOTALK|iP(hone|ad|od)(?!.* Safari\/)/.test(
    userAgent,
  )
