import { spawn, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, chmodSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { keptConnection } from './kept-connection.ts';
import { quantile } from './sampling.ts';
const node=process.execPath;
const trees={old:'/tmp/bench-old',now:'/work/main'} as const;
const ticks=(pid:number)=>{const s=readFileSync(`/proc/${pid}/stat`,'utf8'); const f=s.slice(s.lastIndexOf(')')+2).split(' '); return (Number(f[11])+Number(f[12]))*10;};
const kids=(pid:number)=>Number(execFileSync('sh',['-c',`for p in $(pgrep -P ${pid}); do echo $p; pgrep -P $p; done`]).toString().trim().split('\n').map(p=>{try{return ticks(Number(p))}catch{return 0}}).reduce((a,b)=>a+b,0));
const srv:any={};
let port=47310;
for(const [k,tree] of Object.entries(trees)){ const dir=mkdtempSync('/tmp/bench-ab-'); chmodSync(dir,0o711); const env={...process.env,DATA_DIR:dir+'/d',PORT:String(++port),HOME:dir,XDG_CONFIG_HOME:dir+'/c',LOG_LEVEL:'warn'};
 execFileSync(node,[tree+'/server/src/main.ts','seed','--password-file',dir+'/pw'],{env,stdio:['ignore','ignore','inherit']});
 const c=spawn(node,[tree+'/server/src/main.ts','serve'],{env,stdio:['ignore','inherit','inherit']}); const url='http://127.0.0.1:'+port;
 for(;;){try{ if((await fetch(url+'/readyz')).ok)break;}catch{} await new Promise(r=>setTimeout(r,200));}
 const login=await (await fetch(url+'/api/v1/auth/login',{method:'POST',headers:{'content-type':'application/json'},body:JSON.stringify({email:'admin@gantry.local',password:readFileSync(dir+'/pw','utf8').trim()})})).json() as any;
 const token=login.data.access_token; const r=await fetch(url+'/api/v1/registry/tool',{method:'POST',headers:{'content-type':'application/json',authorization:'Bearer '+token},body:JSON.stringify({name:'x',team:'default',description:'d',tags:[],config:{}})}); if(!r.ok) console.log(k, r.status, await r.text());
 srv[k]={c,url,token,pid:c.pid};
}
const kinds:any={me:(c:any)=>c.send('GET','/api/v1/auth/me'),reg:(c:any)=>c.send('GET','/api/v1/registry/tool/x'),team:(c:any)=>c.send('POST','/api/v1/teams',JSON.stringify({name:'t'+randomUUID()}))};
const out:any={};
const R=Number(process.argv[2]??4);
for(let r=0;r<=R;r++) for(const [k,f] of Object.entries<any>(kinds)) for(const n of [1,8]) for(const [s,{url,token,pid}] of Object.entries<any>(srv)){ const lat:number[]=[]; const b=performance.now(); const c0=ticks(pid),k0=kids(pid); await Promise.all(Array.from({length:n},async()=>{using c=keptConnection(url,{authorization:'Bearer '+token}); while(performance.now()-b<800){const t=performance.now(); await f(c); lat.push(performance.now()-t);} })); if(r===0)continue; const o=out[`${k} ${n} ${s}`]??={lat:[],rps:[],cpu:[],pg:[]}; o.lat.push(...lat); o.rps.push(lat.length/.8); o.cpu.push((ticks(pid)-c0)/lat.length); o.pg.push((kids(pid)-k0)/lat.length); }
for(const [k,o] of Object.entries<any>(out)) console.log(k.padEnd(14),'p50',quantile(o.lat,.5).toFixed(2),'p99',quantile(o.lat,.99).toFixed(1),'rps',quantile(o.rps,.5).toFixed(0),'node cpu ms',quantile(o.cpu,.5).toFixed(2),'pg cpu ms',quantile(o.pg,.5).toFixed(2));
for(const {c} of Object.values<any>(srv)) c.kill('SIGTERM');
