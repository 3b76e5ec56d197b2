import { expect, test } from 'vitest'
import { isInsideApp } from '../../server/pages/surface.ts'
import { browserLink } from '../../src/screens/pieces/open-in-browser.tsx'

const android =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/UQ1A; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/143.0 Mobile'
const ios = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'

const inside: Record<string, string> = {
  'any Android WebView': `${android} Safari/537.36`,
  'Facebook on Android': `${android} Safari/537.36 [FB_IAB/FB4A;FBAV/453.0.0.40.107;]`,
  'Facebook on iOS': `${ios} Mobile/15E148 [FBAN/FBIOS;FBAV/450.0;FBDV/iPhone15,2]`,
  Instagram: `${ios} Mobile/15E148 Instagram 350.0.0.0`,
  TikTok: `${ios} Mobile/15E148 musical_ly_36.1.0 BytedanceWebview/d8a21c6`,
  'Line on iOS, which says Safari': `${ios} Safari Line/14.19.2`,
  'Line, with a version': `${ios} Version/18.1 Mobile/15E148 Safari/604.1 Line/14.19.2`,
  WeChat: 'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/116 Mobile Safari/537.36 XWEB/1160 MicroMessenger/8.0.50',
  Snapchat: `${ios} Mobile/15E148 Snapchat/13.1 (like Safari/8618, panda)`,
  'any WKWebView': `${ios} Mobile/15E148`,
}
const outside: Record<string, string> = {
  Safari: `${ios} Version/18.1 Mobile/15E148 Safari/604.1`,
  'Chrome on iOS': `${ios} CriOS/143.0 Mobile/15E148 Safari/604.1`,
  'Firefox on iOS': `${ios} FxiOS/140.0 Mobile/15E148 Safari/605.1.15`,
  'Chrome on Android': 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Mobile Safari/537.36',
  'Samsung’s own':
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/27.0 Chrome/125.0 Mobile Safari/537.36',
  'Safari on a Mac':
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
  'Firefox on a desk': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  nothing: '',
}

test.for(Object.entries(inside))('behavior: inside another app: %s', ([, agent]) => {
  expect(isInsideApp(agent)).toBe(true)
})

test.for(Object.entries(outside))('behavior: a full browser: %s', ([, agent]) => {
  expect(isInsideApp(agent)).toBe(false)
})

test('behavior: the link out keeps the address and the choice on either system', () => {
  const url = 'https://pay.example/pay/ord_1?method=wallet'
  expect(browserLink(url, android)).toBe(
    'intent://pay.example/pay/ord_1?method=wallet#Intent;scheme=https;action=android.intent.action.VIEW;category=android.intent.category.BROWSABLE;end',
  )
  expect(browserLink(url, ios)).toBe('x-safari-https://pay.example/pay/ord_1?method=wallet')
})
