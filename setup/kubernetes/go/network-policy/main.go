// Package main enforces NetworkPolicy on one node: the policy controller of kube-router, without its router and its service proxy.
package main

import (
	"context"
	"flag"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/cloudnativelabs/kube-router/v2/pkg/controllers/netpol"
	"github.com/cloudnativelabs/kube-router/v2/pkg/healthcheck"
	"github.com/cloudnativelabs/kube-router/v2/pkg/options"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "how the API server is reached")
	node := flag.String("node", "", "the name of this node")
	services := flag.String("services", "", "the range of the addresses of Services")
	flag.Parse()
	end, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := enforce(end, *kubeconfig, *node, *services); err != nil {
		klog.Fatal(err)
	}
}

func enforce(end context.Context, kubeconfig, node, services string) error {
	access, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(access)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods().Informer()
	namespaces := factory.Core().V1().Namespaces().Informer()
	policies := factory.Networking().V1().NetworkPolicies().Informer()
	factory.Start(end.Done())
	factory.WaitForCacheSync(end.Done())

	config := options.NewKubeRouterConfig()
	config.EnableIPv4, config.EnableIPv6 = true, false
	config.HostnameOverride = node
	config.ClusterIPCIDRs = []string{services}
	config.IPTablesSyncPeriod = time.Minute
	tables, sets, err := netpol.NewIPTablesHandlers(config)
	if err != nil {
		return err
	}
	var setsInUse sync.Mutex
	controller, err := netpol.NewNetworkPolicyController(client, config, pods, policies, namespaces, &setsInUse, tables, sets)
	if err != nil {
		return err
	}
	for informer, handler := range map[cache.SharedIndexInformer]cache.ResourceEventHandler{
		pods:       controller.PodEventHandler,
		namespaces: controller.NamespaceEventHandler,
		policies:   controller.NetworkPolicyEventHandler,
	} {
		if _, err := informer.AddEventHandler(handler); err != nil {
			return err
		}
	}

	var work sync.WaitGroup
	work.Add(1)
	go controller.Run(unheard(end), end.Done(), &work)
	work.Wait()
	return nil
}

// unheard takes the heartbeats of the controller, which waits for a reader.
func unheard(end context.Context) chan<- *healthcheck.ControllerHeartbeat {
	heartbeats := make(chan *healthcheck.ControllerHeartbeat)
	go func() {
		for {
			select {
			case <-heartbeats:
			case <-end.Done():
				return
			}
		}
	}()
	return heartbeats
}
