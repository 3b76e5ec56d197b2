/** This follows the payment page's style sheet, whose colours and reset it uses. */
export const style = `
header{padding:16px 24px;border-bottom:1px solid var(--line)}
.skip{position:absolute;left:-999px}.skip:focus{left:16px;top:12px;background:var(--paper);padding:8px}
.layout{display:grid;grid-template-columns:260px minmax(0,1fr);max-width:1320px;margin-inline:auto}
nav{border-inline-end:1px solid var(--line);font-size:.875rem}
nav .wide{position:sticky;top:0;max-height:100vh;overflow:auto;padding:24px}
nav details{display:none}
nav li{padding-block:2px}nav ul ul{padding-inline-start:12px;padding-block-end:8px}
nav a{display:block;padding-block:4px;line-height:1.35;min-height:28px;color:var(--soft);text-decoration:none}nav .wide>ul>li>a{color:var(--ink);font-weight:600}
nav a:hover,main a:hover{text-decoration:underline}
main{padding:32px 32px 96px;min-width:0}
main section{padding-block:24px 8px}
main h1{font-size:2rem}
main h2{font-size:1.5rem;letter-spacing:-.015em;margin-block-end:8px}
main h3{margin:24px 0 8px;font-size:1.125rem;font-weight:600}
main h4{margin:20px 0 6px;font-size:.8125rem;font-weight:600;color:var(--soft)}
main p{max-width:75ch}main section>p{margin-block-end:20px}.members small{font-size:.8125rem}
article{border-top:1px solid var(--line);padding-block:8px 24px}
#types article{padding-block-end:12px}
.two{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:32px;align-items:start}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.8125rem}
pre{margin:0;padding:14px 16px;background:var(--panel);border-radius:10px;overflow:auto;max-height:420px;line-height:1.5;tab-size:2}
.call{display:flex;flex-wrap:wrap;gap:6px 10px;align-items:center}.call code{min-width:0;overflow-wrap:anywhere}
.method{font-size:.75rem;padding:2px 8px;border-radius:6px;background:var(--fill);color:var(--on)}
.auth{font-size:.75rem;padding:2px 8px;border:1px solid var(--edge);border-radius:999px;color:var(--ink);text-decoration:none;white-space:nowrap}
.members li{padding-block:8px;border-top:1px solid var(--line)}.members>li:first-child{border-top:0}
.members .members{margin-block-start:6px;padding-inline-start:14px;border-inline-start:2px solid var(--line)}
.about{font-size:.875rem;overflow-wrap:anywhere}.name{font-weight:600}.type,.limits,.either{font-size:.8125rem;color:var(--soft)}.type code{color:var(--ink)}
.limits{overflow-wrap:anywhere}
.errors{display:flex;flex-wrap:wrap;gap:4px 16px;font-size:.8125rem;color:var(--soft)}
table{border-collapse:collapse;font-size:.9375rem;max-width:90ch}td,th{text-align:start;vertical-align:top;padding:8px 16px 8px 0;border-top:1px solid var(--line)}thead th{border-top:0;font-size:.8125rem;color:var(--soft)}
:target{scroll-margin-top:16px}
summary{font-size:.875rem;color:var(--soft);min-height:32px}
summary::before{content:'▸ '}details[open]>summary::before{content:'▾ '}
@media(max-width:1100px){.two{grid-template-columns:minmax(0,1fr);gap:0}}
@media(max-width:820px){.layout{grid-template-columns:minmax(0,1fr)}nav{border:0;border-bottom:1px solid var(--line);padding:8px 16px}nav .wide{display:none}nav details{display:block}nav a{padding-block:8px}header{padding:12px 16px}main{padding:20px 16px 64px}td,th{display:block;padding-inline:0}td+td{border:0;padding-block-start:0}thead{display:none}}
@media print{nav{display:none}.layout{display:block}pre{max-height:none;white-space:pre-wrap}}
`
