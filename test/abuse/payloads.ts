/** These texts have been interpreted in pages, mails or files before. Each sets `window.hacked` if it runs. */
export const payloads: readonly string[] = [
  '<script>window.hacked=1</script>',
  '</script><script>window.hacked=1</script>',
  '<img src=x onerror=window.hacked=1>',
  '<svg/onload=window.hacked=1>',
  '"><iframe srcdoc="<script>parent.hacked=1</script>">',
  `' autofocus onfocus='window.hacked=1`,
  '--><!--<script>window.hacked=1//',
  '</title></style></textarea></noscript><b>bold',
  'javascript:window.hacked=1',
  'data:text/html,<script>window.hacked=1</script>',
  '{{constructor.constructor("window.hacked=1")()}} ${window.hacked=1} <%= 1 %>',
  '</style><style>*{display:none}',
  'red;}body{background:url(https://evil.example/)}',
  '&lt;script&gt; &#60;script&#62; %3Cscript%3E',
  '\u202Egpj.exe\u202C \u2066isolated\u2069 zero\u200Bwidth\u200D\uFEFF',
  '=HYPERLINK("https://evil.example","x")',
  `@SUM(1+1)*cmd|' /C calc'!A0`,
  'Bcc: victim@evil.example',
  'line\nBcc: victim@evil.example\n\n<b>body</b>',
  '=?utf-8?q?=0ABcc:_victim=40evil.example?=',
  `${'L\u0336'.repeat(60)}`,
  'https://evil.example/ www.evil.example',
]

export const isHostileLink = (href: string): boolean =>
  !/^((x-safari-)?https?|ethereum|bitcoin|solana|sui|mailto|metamask|wc|cbwallet|trust|rainbow):/i.test(href)
