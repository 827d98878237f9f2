import { keptConnection } from './kept-connection.ts';
import { randomUUID } from 'node:crypto';
import { quantile } from './sampling.ts';
import { readFileSync } from 'node:fs';
const [url,token,pid]=process.argv.slice(2) as [string,string,string];
const ticks=()=>{const s=readFileSync(`/proc/${pid}/stat`,'utf8'); const f=s.slice(s.lastIndexOf(')')+2).split(' '); return (Number(f[11])+Number(f[12]))*10;};
const kinds={me:(c:any)=>c.send('GET','/api/v1/auth/me'),reg:(c:any)=>c.send('GET','/api/v1/registry/agent/pp'),team:(c:any)=>c.send('POST','/api/v1/teams',JSON.stringify({name:'t'+randomUUID()})),inv:(c:any)=>c.send('POST','/agents/pp/invoke',JSON.stringify({input:{message:'hi'}})),livez:(c:any)=>c.send('GET','/livez')};
for(let r=0;r<3;r++) for(const [k,f] of Object.entries(kinds)) for(const n of [1,8]){ const lat:number[]=[]; const b=performance.now(); const c0=ticks(); await Promise.all(Array.from({length:n},async()=>{using c=keptConnection(url,{authorization:'Bearer '+token}); while(performance.now()-b<1200){const t=performance.now(); await f(c); lat.push(performance.now()-t);} })); if(r>0) console.log(k,n,'p50',quantile(lat,.5).toFixed(2),'p99',quantile(lat,.99).toFixed(2),'rps',(lat.length/1.2).toFixed(0),'server cpu ms/req',((ticks()-c0)/lat.length).toFixed(2)); }
