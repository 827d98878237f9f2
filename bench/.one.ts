import { keptConnection } from './kept-connection.ts';
const [url,token,kind,s]=process.argv.slice(2) as [string,string,string,string];
const b=performance.now(); let n=0; await Promise.all([1,2,3,4].map(async()=>{using c=keptConnection(url,{authorization:'Bearer '+token}); while(performance.now()-b<Number(s)*1000){ n++; if(kind==='inv') await c.send('POST','/agents/pp/invoke',JSON.stringify({input:{message:'hi'}})); else if(kind==='reg') await c.send('GET','/api/v1/registry/agent/pp'); else await c.send('GET','/api/v1/auth/me');}})); console.log(n);
